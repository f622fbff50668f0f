import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/**
 * Where a value differs from its schema, and how: the first issue, inside a union that of the branch that got furthest.
 * `(root)` stands for the value itself.
 */
export function firstIssue(error: z.ZodError): { readonly path: string; readonly why: string } {
  let path: readonly PropertyKey[] = [];
  let issue: Issue | undefined = error.issues[0];
  let why = '';
  while (issue !== undefined) {
    path = [...path, ...issue.path];
    why = issue.message;
    issue = issue.code === 'invalid_union' ? furthest(issue.errors) : undefined;
  }
  return { path: path.map(String).join('.') || '(root)', why };
}

function furthest(branches: readonly (readonly Issue[])[]): Issue | undefined {
  const firsts = branches.flatMap((issues) => issues.slice(0, 1));
  const inside = firsts.filter(({ path }) => path.length > 0);
  return inside.toSorted((a, b) => b.path.length - a.path.length)[0];
}
