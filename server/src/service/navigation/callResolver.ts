/**
 * Decides to which definitions of its name a call refers, from the imports of the file, the receiver, and words that may
 * name the receiver's type. The build configuration and types are unknown, so a call without evidence for one of several
 * definitions has the confidence `name`.
 */
import type { Certainty } from "#contract/symbols";
import type { FoundSymbol } from "#engine/engine";
import type { SymbolKind } from "#model/symbol";
import { type ConfidenceEstimator, compareCertainty, type ReferenceSource, targetOf } from "./confidence";
import { importsDefinition, mayReexport } from "./importMatch";
import { endsWithWord, isCommonMember, isPrivateName, namesGlobalType, toPlainName } from "./memberNames";
import type { CodeCall } from "./parsedCode";
import { containerOf, type Supertypes } from "./supertypes";
import { namesType, type TypeName, typesOfValue } from "./valueTypes";

export interface ResolvedCall {
  readonly definition: FoundSymbol;
  readonly certainty: Certainty;
}

/** Evidence for a definition, weakest first. */
const evidence = {
  none: 0,
  onlyDefinition: 1,
  similarName: 2,
  module: 3,
  type: 4,
  imported: 5,
  declared: 6,
} as const;
type Evidence = (typeof evidence)[keyof typeof evidence];

const callableKinds: ReadonlySet<SymbolKind> = new Set([
  "function",
  "method",
  "constructor",
  "macro",
  "class",
  "struct",
  "event",
]);
const cFamily: ReadonlySet<string> = new Set(["C", "C++", "Cuda", "Objective-C", "Objective-C++"]);
const ecmascript: ReadonlySet<string> = new Set(["TypeScript", "TSX", "JavaScript", "Vue", "Svelte"]);
/** Languages in which names of other files must be imported. */
const importsNames: ReadonlySet<string> = new Set([...ecmascript, "Python", "Go", "Rust"]);
/** Languages in which no two files declare parts of one type. */
const declaresTypesOnce: ReadonlySet<string> = new Set([...ecmascript, "Python"]);

export class CallResolver {
  readonly #estimator: ConfidenceEstimator;
  readonly #supertypes: Supertypes;

  constructor(estimator: ConfidenceEstimator, supertypes: Supertypes) {
    this.#estimator = estimator;
    this.#supertypes = supertypes;
  }

  /**
   * `candidates` are the definitions of the called name, `sources` those of the function or field from which the receiver
   * has its value. Returns the definitions to which the call may refer.
   */
  resolve(
    call: CodeCall,
    from: ReferenceSource,
    candidates: readonly FoundSymbol[],
    sources: readonly FoundSymbol[] = [],
  ): readonly ResolvedCall[] {
    if (call.declaredAt >= 0) return this.#declared(call, from, candidates);
    const types = typesOfValue(call.value, from, sources, this.#estimator);
    const visible = candidates.filter(
      (each) => (!each.isLocal || this.#supertypes.of(each).size > 1) && canBePrivateName(each, call, from),
    );
    const all = visible.map((definition) => ({
      definition,
      found: this.#evidenceFor(definition, call, from, types),
    }));
    // A constant may contain a function, but is called only if there is no other definition, or if it is imported.
    const callable = all.filter(
      ({ definition, found }) => callableKinds.has(definition.kind) || isImportedName(found, call),
    );
    const rated = callable.length > 0 ? callable : all;
    const known = rated.map(({ definition }) => definition);
    const best = Math.max(evidence.none, ...rated.map(({ found }) => found));
    if (best === evidence.none) return this.#withoutEvidence(call, from, known);
    const likely = rated.filter(({ found }) => found === best).map(({ definition }) => definition);
    // A call of a member of a type may run that of any subtype.
    const isOfOneType = call.typeWords.some((word) =>
      likely.every((each) => this.#supertypes.of(each).has(word)),
    );
    const winners = isOfOneType ? this.#ofOneFile(likely, call, from) : this.#importedOnly(likely, from);
    const isAmbiguous = !isOfOneType && new Set(winners.map(groupOf)).size > 1;
    return winners.map((definition) => ({
      definition,
      certainty: isAmbiguous ? "name" : this.#certaintyOf(definition, best as Evidence, call, from),
    }));
  }

  /** The call refers to a definition of its own file, or to other declarations of the same function. */
  #declared(
    { declaredAt }: CodeCall,
    from: ReferenceSource,
    candidates: readonly FoundSymbol[],
  ): readonly ResolvedCall[] {
    const own = candidates.find((each) => isInFile(each, from) && each.range.start.byteOffset === declaredAt);
    if (own === undefined) return [];
    const group = groupOf(own);
    const same = candidates.filter(
      (each) =>
        each === own ||
        (groupOf(each) === group && (isInFile(each, from) || isHeader(each) || isHeader(own))),
    );
    return same.map((definition) => ({ definition, certainty: "exact" }));
  }

  /** A function in another one is called by others only as a member of the object that the outer one returns. */
  #evidenceFor(
    definition: FoundSymbol,
    call: CodeCall,
    from: ReferenceSource,
    types: readonly TypeName[],
  ): Evidence {
    const found = this.#anyEvidenceFor(definition, call, from, types);
    return definition.isLocal && found < evidence.type ? evidence.none : found;
  }

  #anyEvidenceFor(
    definition: FoundSymbol,
    call: CodeCall,
    from: ReferenceSource,
    valueTypes: readonly TypeName[],
  ): Evidence {
    const { name, document } = definition;
    const container = containerOf(definition);
    const isNamed = call.imports.length > 0;
    const importing = { ...from, imports: call.imports };
    const target = { ...targetOf(definition), isTopLevel: true };
    const named = isNamed ? this.#estimator.certaintyOf(importing, target) : "name";
    const { receiver, typeWords } = call;
    if (receiver !== undefined && isNamed && from.language === "Go") {
      const isOfPackage = container === "" && this.#estimator.imports(importing, target);
      return isOfPackage ? evidence.imported : evidence.none;
    }
    const isImportedByName = isNamed && (named === "exact" || named === "import");
    if (receiver === undefined) {
      if (container !== "") {
        if (typeWords.includes(container)) return evidence.type;
        return importsDefinition(from, document, name) ? evidence.imported : evidence.none;
      }
      if (isImportedByName) return evidence.imported;
      // An import names one module, so that the other imports of the file do not count.
      if (isNamed && importsEachName(from.language)) {
        const isReexport = call.imports.some((each) => mayReexport(each, from, document));
        return isReexport ? evidence.onlyDefinition : evidence.none;
      }
      const certainty = this.#estimator.certaintyOf(from, target);
      if (certainty === "exact") return evidence.type;
      if (certainty === "import") return evidence.module;
      const canBeVisible = !importsNames.has(from.language) || isNamed;
      return certainty === "repository" && canBeVisible ? evidence.onlyDefinition : evidence.none;
    }
    if (container === "" || definition.kind === "function") {
      if (isImportedByName) return evidence.imported;
      if (container === "" && receiver === "") return evidence.none;
      const hasModules = !importsNames.has(from.language) || from.language === "Rust";
      if (hasModules && namesModule(receiver, definition)) return evidence.module;
      if (container === "") return evidence.none;
    }
    const isOwn = document.repositoryId === from.repositoryId;
    const isCommon = isCommonMember(name);
    if (valueTypes.length > 0) {
      if (valueTypes.some((type) => namesType(type, definition))) return evidence.imported;
      // The type may contain this one, and have its members.
      return isOwn && !isCommon ? evidence.onlyDefinition : evidence.none;
    }
    const types = this.#supertypes.of(definition);
    if (types.has(receiver) || typeWords.some((word) => types.has(word))) return evidence.imported;
    // `Object.assign`: a static member of another type.
    if (/^\p{Lu}.*\p{Ll}/u.test(receiver) && importsEachName(from.language)) return evidence.none;
    if (typeWords.some((word) => word.length > container.length && word.endsWith(container)))
      return evidence.type;
    const plainReceiver = toPlainName(receiver);
    const plainContainer = toPlainName(container);
    // An array of definitions may be named like a class that finds some.
    const hasOtherType =
      isCommon && importsEachName(from.language) && typeWords.some((word) => /^\p{Lu}/u.test(word));
    if (hasOtherType) return evidence.none;
    if (plainReceiver === plainContainer && plainReceiver !== "") return evidence.type;
    // The words of a declaration are not only those of its type. In Go, they may name its package.
    const namesTypes = !(isCommon && importsEachName(from.language));
    const isSimilar =
      (namesTypes && typeWords.some((word) => toPlainName(word) === plainContainer)) ||
      (plainReceiver.length > 2 && (endsWithWord(container, receiver) || endsWithWord(receiver, container)));
    if (isSimilar) return evidence.similarName;
    const isGlobalType = ecmascript.has(from.language) && namesGlobalType(typeWords);
    return isOwn && !isCommon && !isGlobalType ? evidence.onlyDefinition : evidence.none;
  }

  /** Of types with the same name in several files, the call refers to that of its own file, or one that it imports. */
  #ofOneFile(
    definitions: readonly FoundSymbol[],
    { typeWords }: CodeCall,
    from: ReferenceSource,
  ): readonly FoundSymbol[] {
    if (!declaresTypesOnce.has(from.language)) return definitions;
    const named = definitions.filter((each) => typeWords.includes(containerOf(each)));
    return definitions.filter((each) => {
      if (!named.includes(each)) return true;
      const alike = named.filter((other) => containerOf(other) === containerOf(each));
      const own = alike.filter((other) => isInFile(other, from));
      return (own.length > 0 ? own : this.#bestImported(alike, from)).includes(each);
    });
  }

  /** Of types with the same name, the file refers to the one that it imports. */
  #importedOnly(definitions: readonly FoundSymbol[], from: ReferenceSource): readonly FoundSymbol[] {
    return new Set(definitions.map(groupOf)).size < 2 ? definitions : this.#bestImported(definitions, from);
  }

  #bestImported(definitions: readonly FoundSymbol[], from: ReferenceSource): readonly FoundSymbol[] {
    const rated = definitions.map((definition) => ({
      definition,
      certainty: this.#estimator.certaintyOf(from, { ...targetOf(definition), isTopLevel: true }),
    }));
    const best = rated.reduce<Certainty>(
      (found, { certainty }) => (compareCertainty(certainty, found) < 0 ? certainty : found),
      "name",
    );
    return rated.filter(({ certainty }) => certainty === best).map(({ definition }) => definition);
  }

  #certaintyOf(definition: FoundSymbol, found: Evidence, call: CodeCall, from: ReferenceSource): Certainty {
    const isTopLevel = containerOf(definition) === "";
    const imports = found === evidence.imported && call.imports.length > 0 ? call.imports : from.imports;
    const certainty = this.#estimator.certaintyOf(
      { ...from, imports },
      { ...targetOf(definition), isTopLevel },
    );
    return found === evidence.onlyDefinition && certainty === "exact" ? "repository" : certainty;
  }

  #withoutEvidence(
    { receiver }: CodeCall,
    from: ReferenceSource,
    candidates: readonly FoundSymbol[],
  ): readonly ResolvedCall[] {
    const possible = candidates.filter((each) => {
      const isMember = containerOf(each) !== "";
      // Where names are imported, an unqualified name is never a member. A member of an expression is never a function.
      return receiver === undefined
        ? !(isMember && importsNames.has(from.language))
        : isMember || receiver !== "";
    });
    return possible.map((definition) => ({ definition, certainty: "name" }));
  }
}

/** Returns a key that is the same for overloads, for the parts of a type, and for headers and their implementations. */
function groupOf(definition: FoundSymbol): string {
  const { document, name } = definition;
  const container = containerOf(definition);
  const isAnywhere = container !== "" || isCFamily(definition);
  return `${document.repositoryId} ${container} ${name} ${isAnywhere ? "" : document.path}`;
}

/** Whether names of functions are imported one by one. Go imports packages. */
function importsEachName(language: string): boolean {
  return importsNames.has(language) && language !== "Go";
}

function isImportedName(found: Evidence, { receiver, imports }: CodeCall): boolean {
  return receiver === undefined && imports.length > 0 && found === evidence.imported;
}

/** `#name` in JavaScript is another name than `name`, and belongs to the classes of its file. */
function canBePrivateName(definition: FoundSymbol, call: CodeCall, from: ReferenceSource): boolean {
  if (!ecmascript.has(from.language)) return true;
  const isPrivate = isPrivateName(call.lineContent, call.range);
  if (isPrivateName(definition.line, definition.range) !== isPrivate) return false;
  return !isPrivate || isInFile(definition, from);
}

function isCFamily({ document }: FoundSymbol): boolean {
  return cFamily.has(document.language);
}

function isHeader({ document }: FoundSymbol): boolean {
  return /\.(?:h|hh|hpp|hxx)$/.test(document.path);
}

function isInFile({ document }: FoundSymbol, from: ReferenceSource): boolean {
  return document.repositoryId === from.repositoryId && document.path === from.path;
}

/** Whether a receiver names the module or namespace of a definition, which may be a file or a folder. */
function namesModule(receiver: string, { document, parent }: FoundSymbol): boolean {
  if (receiver === "") return false;
  if (parent.name === receiver) return true;
  const segments = document.path.replace(/\.\w+$/, "").split("/");
  const name = toPlainName(receiver);
  return segments.slice(-2).some((segment) => toPlainName(segment) === name);
}
