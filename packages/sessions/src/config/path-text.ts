/** Where a setting stands, as code would name it: `agents.main.pruning.ttl`, `channels["my room"].reset`. */
export function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    const name = String(part);
    return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return text.join('').replace(/^\./, '') || '(root)';
}
