/** Queries of tree-sitter are part of a bundle, as text. */
declare module "*.scm" {
  const text: string;
  export default text;
}
