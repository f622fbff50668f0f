import ts from 'typescript';

/** Where a name is used that the code does not declare itself. */
export interface FreeName {
  readonly name: string;
  readonly uses: number;
  /** Uses that only ask whether it exists (`typeof name`). */
  readonly asked: number;
}

/** Names that a script takes from its host: the language's own, and what else it leans on. */
export function freeNames(code: string): FreeName[] {
  const file = ts.createSourceFile('bundle.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const options: ts.CompilerOptions = { allowJs: true, noLib: true, noResolve: true, target: ts.ScriptTarget.Latest };
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    getSourceFile: (name) => (name === file.fileName ? file : undefined),
  };
  const checker = ts.createProgram([file.fileName], options, host).getTypeChecker();
  const found = new Map<string, FreeName>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isReference(node)) {
      const { text: name } = node;
      if (checker.resolveName(name, node, ts.SymbolFlags.Value, false) === undefined) {
        const { uses = 0, asked = 0 } = found.get(name) ?? {};
        found.set(name, { name, uses: uses + 1, asked: asked + (ts.isTypeOfExpression(node.parent) ? 1 : 0) });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** True for a name that stands for a value: no key, label or member. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isMetaProperty(parent)) return parent.name !== node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isExportSpecifier(parent) || ts.isImportSpecifier(parent) || ts.isLabeledStatement(parent)) return false;
  if (ts.isBreakOrContinueStatement(parent)) return false;
  return !ts.isPropertyAssignment(parent) && !isNamedMember(parent) ? true : parent.name !== node;
}

function isNamedMember(node: ts.Node): node is ts.MethodDeclaration | ts.PropertyDeclaration | ts.AccessorDeclaration {
  return ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isAccessor(node);
}
