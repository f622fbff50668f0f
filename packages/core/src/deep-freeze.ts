/** Freezes a JSON value through and through, and gives it back: what many hold, nobody can change. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  // Not recursive: what others wrote into a journal may be nested deeper than the stack is.
  const rest: object[] = [];
  for (let next: object | undefined = value; next !== undefined; next = rest.pop()) {
    Object.freeze(next);
    // Every value that a plugin is handed comes by here: a list of the parts would take longer than all else.
    for (const name in next) {
      const part = (next as Record<string, unknown>)[name];
      if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) rest.push(part);
    }
  }
  return value;
}
