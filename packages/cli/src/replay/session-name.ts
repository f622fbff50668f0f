import { basename } from 'node:path';
import { cutText } from '@varve/core';

/** Longest name that is taken from a file, in UTF-16 code units; more is only hard to type. */
const longestName = 100;

/** The session that a transcript is replayed into: named as its file, with the number of its conversation. */
export function sessionNameOf(file: string, item: number | null): string {
  const name = basename(file).replace(/\.(jsonl|ndjson|json|traj|txt)$/i, '');
  // Control and direction characters would garble what is printed.
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '_');
  const readable = cutText(plain, 0, longestName) || 'transcript';
  return item === null ? readable : `${readable}.${item}`;
}
