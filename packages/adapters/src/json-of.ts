import { type JsonValue, VarveError } from '@varve/core';

/**
 * A value as JSON, with bytes as base64 and what JSON has no place for left out; `null` for nothing.
 *
 * @param path  Where the value stands, for the error.
 * @throws VARVE_MESSAGE_INVALID  for a value that refers to itself, or holds a BigInt.
 */
export function jsonOf(value: unknown, path: string): JsonValue {
  try {
    const text = JSON.stringify(value, (_key, inner: unknown) => (isBytes(inner) ? base64Of(inner) : inner));
    return text === undefined ? null : (JSON.parse(text) as JsonValue);
  } catch (error) {
    throw new VarveError('VARVE_MESSAGE_INVALID', `A message holds something that is not JSON at ${path}.`, {
      fix: 'Give plain objects, arrays, strings, numbers, booleans and null.',
      cause: error,
      details: { path },
    });
  }
}

/** True for bytes, of whatever realm. */
export function isBytes(value: unknown): value is Uint8Array | ArrayBuffer {
  return ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

/** Base64 of bytes. */
export function base64Of(bytes: Uint8Array | ArrayBuffer): string {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  let binary = '';
  for (let start = 0; start < view.length; start += bytesAtOnce) {
    binary += String.fromCharCode(...view.subarray(start, start + bytesAtOnce));
  }
  return btoa(binary);
}

/** As many arguments as any engine takes. */
const bytesAtOnce = 8_192;
