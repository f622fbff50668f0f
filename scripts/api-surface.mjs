// What the packages export, as it is built: one file a package under test/api-surface, so that a change of what others
// rely on is seen in a review, and none slips in.
//
//     pnpm api:check     ends with 1 and shows what differs
//     pnpm api:update    writes the files; a change belongs into a changeset, too
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { publicPackages } from './packed/public-packages.mjs';
import { surfaceDifferences } from './packed/surface-differences.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'test/api-surface');
const printer = ts.createPrinter({ removeComments: true });

/** The surface of every public package, by the name of its file. @returns {Map<string, string>} */
function apiSurfaces() {
  /** @type {Map<string, string>} */
  const surfaces = new Map();
  for (const { folder: path, manifest } of publicPackages())
    surfaces.set(`${manifest.name.replace('@varve/', '')}.d.ts.txt`, surfaceOf(path, manifest));
  return surfaces;
}

/** @param {string} path of the package @param {import('./packed/public-packages.mjs').Manifest} manifest */
function surfaceOf(path, { exports }) {
  const entries = Object.entries(exports).flatMap(([name, { types }]) =>
    types === undefined ? [] : [{ name, file: join(path, types) }],
  );
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, skipLibCheck: true, types: ['node'] },
  );
  const checker = program.getTypeChecker();
  return entries
    .map(({ name, file }) => {
      const source = program.getSourceFile(file);
      const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
      if (module === undefined) throw new Error(`${file} is not there, or exports nothing: build first.`);
      const symbols = checker.getExportsOfModule(module).sort((a, b) => (a.name < b.name ? -1 : 1));
      return [`// ${name}`, ...symbols.map((symbol) => declarationOf(symbol, checker))].join('\n');
    })
    .join('\n\n')
    .concat('\n');
}

/** @param {ts.Symbol} symbol @param {ts.TypeChecker} checker */
function declarationOf(symbol, checker) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declarations = target.declarations ?? [];
  // Of another package: its name says which.
  if (declarations.some((one) => one.getSourceFile().fileName.includes('node_modules')))
    return `export { ${symbol.name} }`;
  // What is exported as default may be explained there, instead of where it is declared.
  const isExplained = [target, symbol].some((one) => one.getDocumentationComment(checker).length > 0);
  const isExplainedHere = () => (symbol.declarations ?? []).some((one) => ts.getJSDocCommentsAndTags(one).length > 0);
  if (!isExplained && !isExplainedHere()) throw new Error(`${symbol.name} has no doc comment.`);
  const texts = declarations.map((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
  });
  const named = target.name === symbol.name ? '' : ` // as ${symbol.name}`;
  return texts.map((text) => `${text.replace(/^export declare /, 'export ')}${named}`).join('\n');
}

/** @returns {string[]} what is wrong, a line each; nothing when the files say what is built */
export function checkSurfaces() {
  const surfaces = apiSurfaces();
  const known = existsSync(folder) ? readdirSync(folder) : [];
  const gone = known.filter((name) => !surfaces.has(name)).map((name) => `${name}: there is no such package any more`);
  const changed = [...surfaces].flatMap(([name, text]) => {
    const before = known.includes(name) ? readFileSync(join(folder, name), 'utf8') : '';
    return before === text
      ? []
      : [`${name}: what it exports has changed`, ...surfaceDifferences(before, text).slice(0, 40)];
  });
  return [...gone, ...changed];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--update')) {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of apiSurfaces()) writeFileSync(join(folder, name), text);
  } else {
    const faults = checkSurfaces();
    for (const fault of faults) console.error(fault);
    console.log(
      faults.length === 0
        ? 'the packages export what test/api-surface says'
        : 'run: pnpm api:update, and add a changeset',
    );
    process.exitCode = faults.length === 0 ? 0 : 1;
  }
}
