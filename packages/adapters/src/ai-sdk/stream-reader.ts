import type { ModelDelta } from '@varve/core';
import type { Fields } from './kept-data.ts';
import type { AiSdkPart } from './messages.ts';
import type { AiSdkReply, AiSdkStreamPart } from './reply.ts';

/** Puts a streamed answer together, piece by piece. */
export interface StreamReader {
  /** Takes a piece, and gives what a listener is told of it. */
  take(part: AiSdkStreamPart): ModelDelta | null;
  /** The whole answer; `null` as long as it has not ended, and when it ended with an error. */
  reply(): AiSdkReply | null;
}

interface Growing {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: unknown;
}

/** Makes a reader for one answer. Blocks stand in the order in which they began. */
export function streamReader(): StreamReader {
  const content: (Growing | AiSdkPart)[] = [];
  const open = new Map<string, Growing>();
  let finish: Pick<AiSdkReply, 'finishReason' | 'usage'> | null = null;
  let hasFailed = false;
  return {
    take: (given) => {
      const part = given as AiSdkStreamPart & Fields;
      const { type } = part;
      const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? [];
      if (kind !== undefined) return grow(part, { kind: kind as Growing['type'], step, open, content });
      if (wholeParts.has(type)) content.push(part);
      if (type === 'error') hasFailed = true;
      if (type === 'finish') finish = part as unknown as Pick<AiSdkReply, 'finishReason' | 'usage'>;
      return type === 'tool-input-start' ? toolDelta(part) : null;
    },
    reply: () => (finish === null || hasFailed ? null : { content, ...finish }),
  };
}

/** Parts that come whole. */
const wholeParts: ReadonlySet<string> = new Set([
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'source',
]);

interface Growth {
  readonly kind: Growing['type'];
  readonly step: string | undefined;
  readonly open: Map<string, Growing>;
  readonly content: (Growing | AiSdkPart)[];
}

function grow(part: AiSdkStreamPart & Fields, { kind, step, open, content }: Growth): ModelDelta | null {
  const { id, delta, providerMetadata } = part;
  const name = `${kind} ${String(id)}`;
  const known = step === 'start' ? undefined : open.get(name);
  const block: Growing = known ?? { type: kind, text: '' };
  if (known === undefined) content.push(block);
  open.set(name, block);
  // What comes last is whole: a signature is there when its block has ended.
  if (providerMetadata !== undefined) block.providerMetadata = providerMetadata;
  if (step !== 'delta' || typeof delta !== 'string') return null;
  block.text += delta;
  return { type: kind, text: delta };
}

function toolDelta({ id, toolName }: AiSdkStreamPart & Fields): ModelDelta {
  return { type: 'tool-call', toolCallId: String(id), toolName: String(toolName) };
}
