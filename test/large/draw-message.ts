import type { Message } from '@varve/core';
import { type Random, seededRandom } from '@varve/testkit';

/** Draws the messages of a conversation with tools: what a user says, a call, its result, an answer, and again. */
export interface MessageDrawer {
  /** The next message. @param extra  Bytes that a tool result has beside its own, some 1 to 10 MB. @default none */
  next(extra?: number): Message;
  /** Whether the next message is the result of a tool. */
  readonly isResultNext: boolean;
}

/** How long the texts are, in characters. */
export interface TextSizes {
  /** Mean of a tool result; most are shorter, some are much longer. */
  readonly meanResult: number;
}

const latin =
  'The build failed in src/journal/line-reader.ts:42 because the chunk ended inside of a line. ' +
  'const offset = position + start; if (buffer[at] !== 10) continue; {"path":"src/lake.ts","lines":[12,14],"ok":true}\n' +
  'ERROR 2026-03-04T05:06:07Z worker 7 gave up after 3 tries (ECONNRESET 10.0.4.17:5432), see RUN-8841. ' +
  'Silt is finer than sand and coarser than clay; each spring leaves a light layer, each winter a dark one.\n';
const chinese =
  '湖底的沉积物每年留下一层浅色和一层深色的纹泥，研究人员通过计数这些层来确定年代。' +
  '构建失败：文件 src/journal/line-reader.ts 第42行，读取的块在一行的中间结束。请先检查日志，然后重试。';

/** A share of the messages is Chinese. */
const chineseShare = 0.1;

/** Rounds of a user, a call, its result and an answer. */
const round = ['user', 'call', 'result', 'answer'] as const;

/** Makes a drawer: the same seed draws the same messages. */
export function createMessageDrawer(seed: number, { meanResult }: TextSizes): MessageDrawer {
  const random = seededRandom(seed);
  const pools = [poolOf(latin), poolOf(chinese)] as const;
  let drawn = 0;
  const text = (length: number): string => {
    const pool = pools[random.chance(chineseShare) ? 1 : 0];
    return textFrom(pool, random, length);
  };
  return {
    get isResultNext() {
      return round[drawn % round.length] === 'result';
    },
    next: (extra = 0) => {
      const kind = round[drawn % round.length];
      const toolCallId = `call-${Math.floor(drawn / round.length)}`;
      drawn += 1;
      if (kind === 'user') return { role: 'user', content: text(random.integer(40, 340)) };
      if (kind === 'answer') return { role: 'assistant', content: text(random.integer(100, 1_000)) };
      if (kind === 'call') {
        const call = { type: 'tool-call', toolCallId, toolName: 'read', input: { path: `src/${drawn}.ts` } } as const;
        return { role: 'assistant', content: [{ type: 'text', text: text(random.integer(20, 200)) }, call] };
      }
      const length = Math.ceil(-Math.log(1 - random.next()) * meanResult) + Math.ceil(extra / 2);
      const value = extra > 0 ? `${text(length)}${textFrom(pools[1], random, Math.ceil(extra / 6))}` : text(length);
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value } }],
      };
    },
  };
}

/** A text long enough for most messages to be a slice of it. */
function poolOf(text: string): string {
  return text.repeat(Math.ceil(65_536 / text.length));
}

function textFrom(pool: string, random: Random, length: number): string {
  const from = random.integer(0, 32_768);
  if (from + length <= pool.length) return pool.slice(from, from + length);
  return pool.repeat(Math.ceil((from + length) / pool.length)).slice(from, from + length);
}
