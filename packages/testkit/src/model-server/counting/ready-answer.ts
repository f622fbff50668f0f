import type { Tokens } from '@varve/core';
import type { AnswerBlock, AnswerStop, ModelAnswer } from '../exchange/model-outcome.ts';
import type { ModelApi } from '../exchange/served-request.ts';
import type { ReadyBlock, WireAnswer } from '../wire/wire.ts';

/** What bounds an answer, and names its calls. */
interface ReadyOptions {
  readonly api: ModelApi;
  /** Beginning of the ids of calls. */
  readonly id: string;
  /** Upper bound that the request asks for, and what the window has left. */
  readonly bounds: { readonly asked: Tokens | null; readonly window: Tokens };
  readonly count: (text: string) => Tokens;
}

/** An answer that ends where it must, with the tokens of what is left of it. */
export type ReadyAnswer = Pick<WireAnswer, 'blocks' | 'stop'> & { readonly outputTokens: Tokens };

/** Gives calls their ids, and cuts what is too long for the request or the window. */
export function readyAnswer({ blocks, stop, ignoresBound = false }: ModelAnswer, options: ReadyOptions): ReadyAnswer {
  const { bounds, count } = options;
  const ready = blocks.map((block, index) => readyBlock(block, { ...options, index }));
  const most = Math.min(bounds.asked ?? Number.POSITIVE_INFINITY, bounds.window);
  const said = tokensOf(ready, count);
  if (ignoresBound || said <= most) return { blocks: ready, stop: stop ?? naturalStop(ready), outputTokens: said };
  const cut = cutBlocks(ready, { most, count });
  return { blocks: cut, stop: bounds.window < (bounds.asked ?? 0) ? 'window' : 'length', outputTokens: most };
}

function naturalStop(blocks: readonly ReadyBlock[]): AnswerStop {
  if (blocks.some(({ type }) => type === 'refusal')) return 'refusal';
  return blocks.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'end';
}

function readyBlock(block: AnswerBlock, { api, id, index }: ReadyOptions & { readonly index: number }): ReadyBlock {
  if (block.type !== 'tool-call') return block;
  const { name, input = {}, rawInput = JSON.stringify(input) } = block;
  const prefix = api === 'anthropic-messages' ? 'toolu_' : 'call_';
  return { type: 'tool-call', id: block.id ?? `${prefix}${id}${index}`, name, json: rawInput };
}

function tokensOf(blocks: readonly ReadyBlock[], count: (text: string) => Tokens): Tokens {
  return blocks.reduce((sum, block) => sum + count(textOfBlock(block)), 0);
}

function textOfBlock(block: ReadyBlock): string {
  if (block.type === 'tool-call') return `${block.name} ${block.json}`;
  if (block.type === 'unknown') return JSON.stringify(block.block);
  return block.type === 'redacted-thinking' ? block.data : block.text;
}

/** Whole blocks as long as they fit, and the beginning of the one that does not. */
function cutBlocks(
  blocks: readonly ReadyBlock[],
  { most, count }: { readonly most: Tokens; readonly count: (text: string) => Tokens },
): readonly ReadyBlock[] {
  let left = most;
  for (const [index, block] of blocks.entries()) {
    const tokens = count(textOfBlock(block));
    if (tokens <= left) {
      left -= tokens;
      continue;
    }
    const share = left / tokens;
    const begun = left <= 0 ? [] : beginningOf(block, share);
    return [...blocks.slice(0, index), ...begun];
  }
  return blocks;
}

function beginningOf(block: ReadyBlock, share: number): readonly ReadyBlock[] {
  const shorter = (text: string): string => {
    const characters = [...text];
    return characters.slice(0, Math.floor(characters.length * share)).join('');
  };
  if (block.type === 'tool-call') return [{ ...block, json: shorter(block.json) }];
  if (block.type === 'unknown' || block.type === 'redacted-thinking') return [];
  const text = shorter(block.text);
  return text === '' ? [] : [{ ...block, text }];
}
