/** A promise that somebody else settles. Nobody has to listen. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/** Makes one that is not settled. */
export function createDeferred<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<Value>((whenDone, whenNot) => {
    resolve = whenDone;
    reject = whenNot;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
