const acceptedId = /^[a-zA-Z0-9_-]+$/;
const encodedPrefix = 'varve-id-';

/**
 * An id of a tool call in the characters that the API accepts. Ids that are fine stay; others are written out
 * character by character, so that two ids never become one and an id never depends on what else is in the prompt.
 */
export function anthropicToolId(id: string): string {
  if (acceptedId.test(id) && !id.startsWith(encodedPrefix)) return id;
  return encodedPrefix + id.replace(/[^a-zA-Z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16)}_`);
}
