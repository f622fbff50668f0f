import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { emptyNames, type ImportRule, importTable, limits, longFiles, nodeGlobals, soleImporters } from './rules.ts';

/** One source file of a package. */
export interface Source {
  /** Path from the repository's root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Packages that its package.json declares: dependencies and peers. */
  readonly declared: readonly string[];
}

/** One breach of a rule, ready to be read. */
interface Violation {
  readonly rule: Rule;
  /** `path:line: what is wrong`. */
  readonly message: string;
}

/** The rules, by name. */
export type Rule =
  | 'import'
  | 'node'
  | 'file-lines'
  | 'function-lines'
  | 'parameters'
  | 'doc'
  | 'any'
  | 'name'
  | 'index';

/** A function with a body. */
interface FunctionSize {
  readonly name: string;
  /** Where it begins. */
  readonly line: number;
  readonly lines: number;
}

/** What was measured and found in one file. */
export interface Inspection {
  readonly lines: number;
  readonly functions: readonly FunctionSize[];
  /** Modules that it names, as they stand there; one that is named twice stands there twice. */
  readonly imports: readonly string[];
  /** Exported declarations, and how many of them have a doc comment. */
  readonly exported: { readonly all: number; readonly documented: number };
  readonly violations: readonly Violation[];
}

type Report = (rule: Rule, node: ts.Node | undefined, message: string) => void;

/** Holds one file against every rule of the architecture. */
export function inspectSource(source: Source): Inspection {
  const file = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true);
  const lines = source.text.split('\n').length - (source.text.endsWith('\n') ? 1 : 0);
  const violations: Violation[] = [];
  const functions: FunctionSize[] = [];
  const imports: string[] = [];
  const report: Report = (rule, node, message) => {
    const line = node === undefined ? 1 : lineOf(file, node.getStart(file));
    violations.push({ rule, message: `${source.path}:${line}: ${message}` });
  };
  checkName(source.path, report);
  if (lines > limits.fileLines && longFiles[source.path] === undefined) {
    report('file-lines', undefined, `${lines} lines, the limit is ${limits.fileLines}`);
  }
  const exported = checkExports(file, report);
  const walk = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) {
      imports.push(specifier.text);
      checkImport(source, specifier, report);
    }
    checkGlobal(source.path, node, report);
    if (node.kind === ts.SyntaxKind.AnyKeyword) report('any', node, 'any switches the type checker off; use unknown');
    if (ts.isFunctionLike(node) && 'body' in node && node.body) functions.push(checkFunction(file, node, report));
    ts.forEachChild(node, walk);
  };
  walk(file);
  return { lines, functions, imports, exported, violations };
}

function lineOf(file: ts.SourceFile, position: number): number {
  return file.getLineAndCharacterOfPosition(position).line + 1;
}

function checkName(path: string, report: Report): void {
  const words = path.slice(path.indexOf('/src/') + 5).split('/');
  for (const word of words) {
    const name = word.replace(/(\.d)?\.ts$/, '');
    if (emptyNames.includes(name)) report('name', undefined, `"${name}" says nothing; name the one thing it holds`);
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) report('name', undefined, `"${name}" is not in kebab-case`);
  }
}

/** The path of the package that a source belongs to, as `packages/core`. */
export function packageOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

function ruleFor(path: string): ImportRule | undefined {
  const owner = packageOf(path);
  return importTable[owner] ?? importTable[`${owner.split('/')[0]}/*`];
}

function mayUseNode(path: string): boolean {
  const node = ruleFor(path)?.node ?? false;
  return typeof node === 'boolean' ? node : node.test(path);
}

/** The module that a node names: import, export from, import() and import types. */
function specifierOf(node: ts.Node): ts.StringLiteralLike | undefined {
  let found: ts.Node | undefined;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) found = node.moduleSpecifier;
  else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) found = node.argument.literal;
  else if (ts.isExternalModuleReference(node)) found = node.expression;
  else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) found = node.arguments[0];
  return found !== undefined && ts.isStringLiteralLike(found) ? found : undefined;
}

function checkImport(source: Source, node: ts.StringLiteralLike, report: Report): void {
  const name = node.text;
  if (name.startsWith('.')) {
    const root = `${packageOf(source.path)}/src/`;
    const inside = posix.join(posix.dirname(source.path), name).startsWith(root);
    if (!inside) report('import', node, `"${name}" leaves ${root}; import the package by its name`);
    return;
  }
  if (name.startsWith('node:') || builtinModules.includes(name)) {
    if (!mayUseNode(source.path)) report('node', node, `"${name}": this file must run without Node`);
    return;
  }
  const problem = problemWith(name, source);
  if (problem !== undefined) report('import', node, `"${name}" ${problem}`);
}

/** What is wrong with importing another package from this source, if anything. */
function problemWith(specifier: string, source: Source): string | undefined {
  const owner = packageOf(source.path);
  const rule = ruleFor(source.path);
  if (rule === undefined) return `cannot be judged: ${owner} is not in the import table`;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const sole = soleImporters[name];
  if (sole !== undefined && sole !== source.path && owner === packageOf(sole)) return `is for ${sole} alone`;
  // A subpath for few is named in the table; everybody else's entry names the package only.
  const reserved = Object.values(importTable).some((row) => row.may.includes(specifier)) && specifier !== name;
  const allowed = rule.may.some((pattern) => matches(pattern, reserved ? specifier : name));
  if (!allowed) return `is not allowed in ${owner}: see the import table in ARCHITECTURE.md`;
  if (!source.declared.includes(name)) return `is not declared in ${owner}/package.json`;
  return undefined;
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function checkGlobal(path: string, node: ts.Node, report: Report): void {
  if (!ts.isIdentifier(node) || !nodeGlobals.includes(node.text) || mayUseNode(path)) return;
  const { parent } = node;
  const isMember =
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isQualifiedName(parent) && parent.right === node) ||
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isMethodDeclaration(parent);
  if (!isMember) report('node', node, `${node.text} exists in Node alone; this file must run without it`);
}

function checkFunction(file: ts.SourceFile, node: ts.SignatureDeclaration, report: Report): FunctionSize {
  const first = lineOf(file, node.getStart(file));
  const lines = lineOf(file, node.end) - first + 1;
  const name = nameOfFunction(file, node) ?? 'this function';
  if (lines > limits.functionLines)
    report('function-lines', node, `${name} has ${lines} lines, the limit is ${limits.functionLines}`);
  const parameters = node.parameters.filter((parameter) => parameter.name.getText(file) !== 'this').length;
  if (parameters > limits.parameters)
    report('parameters', node, `${name} has ${parameters} parameters, the limit is ${limits.parameters}`);
  return { name, line: first, lines };
}

/** A function's own name, or that of the variable or property that it is the value of. */
function nameOfFunction(file: ts.SourceFile, { name, parent }: ts.SignatureDeclaration): string | undefined {
  if (name !== undefined) return name.getText(file);
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed ? parent.name.getText(file) : undefined;
}

/** Every exported declaration has a doc comment; `index.ts` is an explicit table of contents. */
function checkExports(file: ts.SourceFile, report: Report): Inspection['exported'] {
  const byName = new Map<string, ts.Statement>();
  for (const statement of file.statements)
    for (const name of namesIn(statement)) if (!byName.has(name)) byName.set(name, statement);
  const seen = new Set<string>();
  let documented = 0;
  for (const statement of file.statements) {
    if (ts.isExportDeclaration(statement) && statement.exportClause === undefined) {
      report('index', statement, 'export * hides what is public; name it');
    }
    for (const exported of exportedBy(statement, byName)) {
      const name = namesIn(exported)[0] ?? 'default export';
      if (seen.has(name)) continue;
      seen.add(name);
      if (hasDocComment(exported)) documented += 1;
      else report('doc', exported, `${name} is exported and has no doc comment`);
    }
  }
  return { all: seen.size, documented };
}

/** The declarations that a statement exports from this file; re-exports of other files are documented there. */
function exportedBy(statement: ts.Statement, byName: ReadonlyMap<string, ts.Statement>): ts.Statement[] {
  if (ts.isExportDeclaration(statement)) {
    if (
      statement.moduleSpecifier !== undefined ||
      !statement.exportClause ||
      !ts.isNamedExports(statement.exportClause)
    )
      return [];
    const local = statement.exportClause.elements.map((element) =>
      byName.get((element.propertyName ?? element.name).text),
    );
    return local.filter((declaration) => declaration !== undefined);
  }
  if (ts.isExportAssignment(statement)) return [statement];
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) ? [statement] : [];
}

function namesIn(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map((one) => one.name.getText());
  const named = statement as ts.Statement & { readonly name?: ts.Node };
  return ts.isDeclarationStatement(statement) && named.name !== undefined ? [named.name.getText()] : [];
}

function hasDocComment(node: ts.Node): boolean {
  return ts
    .getJSDocCommentsAndTags(node)
    .some((doc) => ts.isJSDoc(doc) && (ts.getTextOfJSDocComment(doc.comment) ?? '').trim() !== '');
}
