import type { ToolOutput } from './message.ts';

/** What a tool said, as text; images and files are named, not shown. */
export function textOfOutput(output: ToolOutput): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type !== 'content') return JSON.stringify(output.value);
  return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
