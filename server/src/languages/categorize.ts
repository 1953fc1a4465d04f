import type { DocumentCategory } from "#model/document";
import type { LinguistAttributes } from "./attributes";

/**
 * Determines the category of a document from its path: first by who wrote it, then by its purpose.
 *
 * The lists contain conventions of all languages. `.gitattributes` takes precedence.
 */
export function categorize(path: string, attributes: LinguistAttributes = {}): DocumentCategory {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  const folders = parts.map((part) => part.toLowerCase());
  const isIn = (inside: ReadonlySet<string>) => folders.some((folder) => inside.has(folder));
  if (attributes.isVendored ?? (isIn(vendorFolders) || vendoredFile.test(name))) return "vendored";
  if (attributes.isGenerated ?? (isIn(generatedFolders) || generatedFile.test(name))) return "generated";
  // An explicit documentation attribute covers tests, too.
  if (attributes.isDocumentation !== true && (isIn(testFolders) || testFile.test(name))) return "test";
  if (attributes.isDocumentation ?? (isIn(documentationFolders) || documentationFile.test(name)))
    return "documentation";
  return "source";
}

const vendorFolders = new Set([
  "node_modules",
  "bower_components",
  "vendor",
  "vendors",
  "vendored",
  "third_party",
  "third-party",
  "thirdparty",
  "3rdparty",
  "3rd-party",
  "externals",
  "extern",
  "godeps",
  "pods",
  "carthage",
  "site-packages",
  ".venv",
  "venv",
  ".yarn",
]);

const vendoredFile =
  /^(?:jquery(?:[-.][\w.-]+)?\.js|bootstrap(?:[-.][\w.-]+)?\.(?:js|css|scss|less)|normalize\.css|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|(?:react|angular|vue|d3|three|lodash|underscore|modernizr)(?:[-.]\d[\w.-]*)?(?:\.min)?\.js|config\.(?:guess|sub)|ltmain\.sh|libtool\.m4|install-sh|aclocal\.m4)$/i;

const generatedFolders = new Set([
  "dist",
  "generated",
  "__generated__",
  "_generated",
  ".next",
  "__snapshots__",
]);

const generatedFile =
  /(?:[.-]min\.(?:js|css|mjs)|\.(?:js|css|mjs)\.map|\.bundle\.js|\.pb\.(?:go|cc|h|dart|gw\.go|swift)|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|d\.ts|rb)|[._]generated\.\w+|\.g\.(?:dart|cs|i\.cs)|\.freezed\.dart|\.designer\.(?:cs|vb)|_string\.go|_gen\.go|_mock\.go|\.snap|\.lock|\.lockb)$|^(?:zz_generated[\w.]*|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|mock_\w+\.go|parser\.tab\.[ch]|lex\.yy\.c|configure|Cargo\.lock\.\w+|flake\.lock)$/i;

const testFolders = new Set([
  "test",
  "tests",
  "testing",
  "testdata",
  "test-data",
  "test_data",
  "__tests__",
  "__mocks__",
  "__fixtures__",
  "spec",
  "specs",
  "fixtures",
  "e2e",
  "integration-tests",
  "unittest",
  "unittests",
  "selftests",
  "testcases",
]);

/** `FooTest.java` but not `contest.java`: the capital letter matters. */
const testFile =
  /[._-](?:test|tests|spec|specs|e2e|cy)\.\w+$|^tests?[._-]\w.*\.\w+$|^conftest\.py$|[a-z0-9](?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|kts|cs|php|scala|groovy|swift|m|mm|cpp|cc|fs|vb)$/;

/** An RE2 expression for the paths that belong to tests by their names, regardless of other categories. */
export const testPathExpression = [
  `(?i:(?:^|/)(?:${[...testFolders].join("|")})/)`,
  testFile.source.replaceAll("^", "(?:^|/)").replace(String.raw`\w.*\.`, String.raw`\w[^/]*\.`),
].join("|");

const documentationFolders = new Set([
  "doc",
  "docs",
  "documentation",
  "man",
  "manual",
  "javadoc",
  "example",
  "examples",
  "samples",
]);

const documentationFile =
  /\.(?:md|mdx|markdown|rst|adoc|asciidoc|textile|rdoc|pod)$|^(?:readme|changelog|changes|history|news|licen[cs]e|copying|notice|authors|contributors|contributing|maintainers|code_of_conduct|security|install|todo)(?:[-.]\w+)?(?:\.\w+)?$/i;
