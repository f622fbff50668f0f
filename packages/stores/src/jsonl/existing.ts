import { codeOf } from './store-error.ts';

/** Waits; `null` when there is no such file or folder. */
export async function existing<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
