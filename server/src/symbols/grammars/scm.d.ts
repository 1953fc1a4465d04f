/** Tree-sitter queries are bundled as text. */
declare module "*.scm" {
  const text: string;
  export default text;
}
