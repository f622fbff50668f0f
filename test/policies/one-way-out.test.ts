import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const sources = join(import.meta.dirname, '../../packages/sessions/src');

/** Files of the package in which a name stands as an identifier, not in a text or a comment. */
function filesThatName(name: string): readonly string[] {
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('config/'))
    .filter((file) => hasIdentifier(readFileSync(join(sources, file), 'utf8'), name))
    .sort();
}

function hasIdentifier(text: string, name: string): boolean {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): boolean =>
    (ts.isIdentifier(node) && node.text === name) || (ts.forEachChild(node, visit) ?? false);
  return visit(source);
}

it('one file of the sessions asks what may leave, and it alone gets what carries it out', () => {
  expect(filesThatName('askDelivery')).toEqual(['egress/create-egress.ts']);
  // The others hand it on from the options to there.
  const handOn = ['receive/talking.ts', 'sessions-options.ts', 'sessions.ts'];
  expect(filesThatName('send')).toEqual(['egress/create-egress.ts', ...handOn]);
});
