import type { ToolOutput } from './message.ts';

/** What a tool said, as text; images and files are named, not shown. */
export function textOfOutput(output: ToolOutput): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type !== 'content') return JSON.stringify(output.value);
  return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

/** True for the output of a tool that failed. */
export function isFailure(output: ToolOutput): boolean {
  return output.type === 'error-text' || output.type === 'error-json';
}

/** The output with another text: what failed stays a failure. */
export function withText(output: ToolOutput, value: string): ToolOutput {
  return { type: isFailure(output) ? 'error-text' : 'text', value };
}
