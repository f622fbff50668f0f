import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message, Usage } from '@varve/core';

/** A message as agents exchange them, with what its provider reported. */
export interface MixedMessage {
  readonly message: Message;
  readonly usage?: Usage | undefined;
}

const root = join(import.meta.dirname, '../../..');

/** Part of the prose that is Chinese. */
const chineseShare = 0.1;

const chinese =
  '我们先把日志拆成几个文件，再看哪一个写得最慢。昨天下午的部署之后，网关在高峰时段会丢掉一部分请求，重试也没有成功。' +
  '请把配置里的超时时间改成三十秒，然后重新跑一遍测试，把失败的用例列出来。数据库的连接数已经到了上限，暂时不要增加新的任务。' +
  '如果备份没有完成，就不要删除旧的目录；完成以后请写一份简短的说明，告诉大家哪些数据被移动过，以及怎样恢复。' +
  '这个函数在遇到空行时会提前返回，所以统计的结果少了一条。我建议先加一个失败的测试，再修改读取的部分。';

interface Pool {
  readonly prose: string;
  readonly code: string;
  readonly json: string;
}

let known: Pool | null = null;

/** What texts are cut from: the documentation and the code of this project, and a lock file. */
function pool(): Pool {
  known ??= {
    prose: textsBelow('docs', '.md'),
    code: textsBelow('packages/core/src/session', '.ts'),
    json: readFileSync(join(root, 'bench/package-lock.json'), 'utf8'),
  };
  return known;
}

function textsBelow(folder: string, ending: string): string {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith(ending) && !/node_modules|\.vitepress|^api/.test(name))
    .sort()
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n');
}

/**
 * The message at a place of a conversation that goes round in four: a user asks, the model calls a tool, the tool answers
 * with code or JSON, the model answers.
 *
 * @param options.toolLength  Characters of a tool's answer, in the mean; they are distributed exponentially.
 */
export function mixedMessage(
  at: number,
  { random, toolLength }: { readonly random: () => number; readonly toolLength: number },
): MixedMessage {
  const { prose, code, json } = pool();
  const cut = (text: string, length: number): string => {
    const from = Math.floor(random() * Math.max(1, text.length - length));
    return text.slice(from, from + length);
  };
  const text = random() < chineseShare ? chinese : prose;
  const toolCallId = `call_${(at - (at % 4)).toString(36).padStart(16, '0')}`;
  const usage = { inputTokens: 1_200, outputTokens: 150, cacheReadTokens: 30_000, cacheWriteTokens: 900 };
  switch (at % 4) {
    case 0:
      return { message: { role: 'user', content: [{ type: 'text', text: cut(text, 40 + random() * 300) }] } };
    case 1: {
      const input = { path: `src/core/file-${at % 97}.ts`, offset: at % 500, limit: 200 };
      const call = { type: 'tool-call', toolCallId, toolName: 'read', input } as const;
      const said = { type: 'text', text: cut(text, 60 + random() * 300) } as const;
      return { message: { role: 'assistant', content: [said, call], stop: 'tool-calls' }, usage };
    }
    case 2: {
      const length = Math.max(50, -Math.log(1 - random() * 0.999) * toolLength);
      const value = cut(random() < 0.7 ? code : json, length);
      const result = { type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value } } as const;
      return { message: { role: 'tool', content: [result] } };
    }
    default: {
      const said = { type: 'text', text: cut(text, 100 + random() * 900) } as const;
      return { message: { role: 'assistant', content: [said], stop: 'stop' }, usage };
    }
  }
}
