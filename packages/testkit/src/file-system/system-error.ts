/** An error as the operating system gives it, with its code: `EIO`, `ENOSPC`, `EACCES`, `ENOENT`. */
export function systemError(code: string, what = 'made by the test'): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
