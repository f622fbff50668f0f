/** What the user says; short lines come back again and again, as they do in real sessions. */
const requests = [
  'Please find out why the nightly import loses rows, and repair it. Keep src/import.ts small.',
  'continue',
  '继续',
  'Run the tests again and show me what fails.',
  '请把错误信息翻译成中文，并且保留 ORDER_ID-4711 这个编号。',
  'No, the limit must stay at 2500 rows. Never write to the table invoices_2024.',
  'continue',
  'Thanks. Now the same for src/export.ts.',
];

const remarks = [
  'I look at the file first.',
  'The rows get lost where the batches meet: the last one is never flushed.',
  '我先检查日志，然后再修改代码。',
  'The test for the empty file still fails, so I read it once more.',
];

/** Number of the turn in which the model works for very long, from 0. */
const longTurn = 5;

const words = 'import rows batch flush table order index cursor retry limit error parse 日志 订单 导入 commit'.split(
  ' ',
);

/** Numbers from 0 to 1 that are the same for every run with the seed. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A session of an agent as Claude Code writes it, made up: about 200 messages with calls side by side, results of every
 * size, one turn longer than a prompt, ids that come twice, words of the user between results, lines that say the same,
 * Chinese, and pauses in which prompt caches run out.
 *
 * @returns {string} JSON Lines.
 */
export function makeTranscript({ seed = 7, turns = 10 } = {}) {
  const session = createWriter(seeded(seed));
  for (let turn = 0; turn < turns; turn += 1) {
    session.pause();
    session.user(turn < requests.length ? requests[turn] : session.pick(requests));
    const steps = turn === longTurn ? 24 : 1 + session.upTo(4);
    for (let step = 0; step < steps; step += 1) session.step();
    session.assistant([{ type: 'text', text: `${session.pick(remarks)} Step ${turn + 1} is done.` }]);
  }
  return `${session.lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

function createWriter(random) {
  const lines = [];
  let clock = Date.UTC(2025, 0, 6, 9);
  let made = 0;
  const upTo = (most) => Math.floor(random() * (most + 1));
  const pick = (list) => list[upTo(list.length - 1)];
  const say = (type, message) => {
    clock += 2_000 + upTo(20_000);
    lines.push({ type, timestamp: new Date(clock).toISOString(), isSidechain: false, message });
  };
  const user = (content) => say('user', { role: 'user', content });
  const answer = (id, text) =>
    user([{ type: 'tool_result', tool_use_id: id, content: text, is_error: random() < 0.1 }]);
  const assistant = (blocks) => {
    made += 1;
    const base = { id: `msg_${made}`, role: 'assistant', model: 'claude-sonnet-4-5' };
    for (const block of blocks) say('assistant', { ...base, content: [block] });
  };
  /** One call of the model that asks for one to three tools, and their results. */
  const step = () => {
    const calls = Array.from({ length: 1 + upTo(2) }, (_, index) =>
      callOf({ id: idOf(made, index, random), pick, upTo }),
    );
    const thought = { type: 'thinking', thinking: `${pick(remarks)} ${made}`, signature: `signature-${made}` };
    const remark = { type: 'text', text: random() < 0.2 ? '\n\n' : `${pick(remarks)} (${made})` };
    assistant([...(random() < 0.3 ? [thought] : []), ...(random() < 0.6 ? [remark] : []), ...calls]);
    calls.forEach(({ id }, index) => {
      if (index > 0 && random() < 0.15) user('And keep an eye on the memory, please.');
      answer(id, outputOf({ random, upTo, pick }));
    });
  };
  const pause = () => {
    clock += random() < 0.3 ? 2 * 3_600_000 : 30_000;
  };
  return { lines, upTo, pick, user, assistant, step, pause };
}

/** Most ids are fresh; some tools use theirs again. */
function idOf(made, index, random) {
  return random() < 0.05 ? `toolu_again_${index}` : `toolu_${made}_${index}`;
}

function callOf({ id, pick, upTo }) {
  const file = `src/${pick(words.slice(0, 8))}-${upTo(40)}.ts`;
  const input = upTo(1) === 0 ? { file_path: file } : { command: `grep -n "${pick(words)}" ${file} | head -20` };
  return { type: 'tool_use', id, name: input.file_path === undefined ? 'Bash' : 'Read', input };
}

/** Mostly some lines, sometimes many, at times nothing. */
function outputOf({ random, upTo, pick }) {
  if (random() < 0.05) return '';
  const count = random() < 0.1 ? 150 + upTo(150) : random() < 0.4 ? 20 + upTo(60) : 1 + upTo(8);
  const lines = Array.from({ length: count }, (_, index) => {
    return `${index + 1}: ${pick(words)} ${pick(words)}_${upTo(9_999)} = ${pick(words)}(${upTo(99)}, "${pick(words)}")`;
  });
  return lines.join('\n');
}
