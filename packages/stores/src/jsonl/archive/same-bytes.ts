import { type OpenFile, readAt } from '../file-system.ts';

const chunk = 1_048_576;

/** Whether two files hold the same bytes up to `end`. */
export async function haveSameBytes(one: OpenFile, other: OpenFile, end: number): Promise<boolean> {
  for (let position = 0; position < end; position += chunk) {
    const length = Math.min(chunk, end - position);
    const [left, right] = await Promise.all([readAt(one, { position, length }), readAt(other, { position, length })]);
    if (left.length !== length || !left.equals(right)) return false;
  }
  return true;
}
