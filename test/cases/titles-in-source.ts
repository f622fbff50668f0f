import ts from 'typescript';

const runners: ReadonlySet<string> = new Set(['describe', 'it', 'test']);

/** Patterns of the titles that a test file gives to its suites and tests, tables of them included. */
export function titlesInSource(text: string): readonly RegExp[] {
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isOfRunner(node.expression)) {
      const [title] = node.arguments;
      const pattern = title === undefined ? null : patternOf(title);
      if (pattern !== null) found.push(pattern);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('cases.test.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

/** True for `it`, `it.each(…)`, `describe.skip` and the like. */
function isOfRunner(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return runners.has(callee.text);
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return isOfRunner(callee.expression);
  return false;
}

/** A title, with what a table or a template puts into it as anything. */
function patternOf(title: ts.Expression): RegExp | null {
  if (ts.isStringLiteralLike(title)) return patternOfText(title.text);
  if (!ts.isTemplateExpression(title)) return null;
  const texts = [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)];
  return new RegExp(`^${texts.map(escaped).join('.*')}$`, 's');
}

function patternOfText(text: string): RegExp {
  return new RegExp(
    `^${text
      .split(/\$[\w.]+|%[sdifjoc]/)
      .map(escaped)
      .join('.*')}$`,
    's',
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
