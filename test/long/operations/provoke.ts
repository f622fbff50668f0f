import type { Stage } from '../stage.ts';
import { ask } from './ask.ts';
import { compactBeside, compactNow } from './compaction.ts';
import { ingest } from './ingest.ts';

/** A window that what is said here fills, in tokens. */
const window = 6_000;

/** Things that are said, and the characters of each answer. */
const exchanges = 16;
const answerChars = 1_600;

/** Sees to it that the summariser of a strategy that has one is asked: a fault that was drawn must come about. */
export async function provoke(stage: Stage): Promise<void> {
  if (stage.asks > 0) return;
  stage.count('provoked');
  await stage.close();
  stage.budget = window;
  await stage.open();
  for (let index = 0; index < exchanges; index += 1) {
    await ingest(stage, { role: 'user', content: `What is in src/layer-${index}.ts, and what is it for?` }, {});
    await ingest(stage, { role: 'assistant', content: answerTo(index) }, {});
  }
  if (stage.plan.strategy === 'background') {
    await compactBeside(stage);
    stage.op += 1;
    await ingest(stage, { role: 'user', content: 'And meanwhile?' }, {});
    await ask(stage, { do: 'ask', tools: false, dry: true, abort: 'never' });
    await stage.settleBeside();
  }
  if (stage.asks === 0) await compactNow(stage, { trigger: 'manual' });
  if (stage.asks === 0) stage.see({ kind: 'wrong', what: 'the summariser was never asked' });
}

function answerTo(index: number): string {
  const line = `It lays down silt of the year ${1_900 + index}, and varve-${index * 37} counts what lies above it. `;
  return line.repeat(Math.ceil(answerChars / line.length));
}
