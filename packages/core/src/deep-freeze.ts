/** Freezes a JSON value through and through, and gives it back: what many hold, nobody can change. */
export function deepFreeze<Value>(value: Value): Value {
  // Not recursive: what others wrote into a journal may be nested deeper than the stack is.
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const part of Object.values(next)) rest.push(part);
  }
  return value;
}
