import { cutText } from '../cut-text.ts';

/** What a sentence does: puts something right, sets a rule, settles a question, or tells of a failure. */
export type StatementKind = 'correction' | 'constraint' | 'decision' | 'error';

/** A sentence worth keeping, on one line. */
export interface Statement {
  readonly kind: StatementKind;
  readonly text: string;
}

/** Statements are cut to this many UTF-16 code units: a long sentence and a half. */
const maxLength = 200;

/** Below this a sentence says nothing on its own; Han, kana and Hangul say about three times as much a character. */
const minLength = 12;

/** Cues of one kind: `words` in scripts with spaces, `anywhere` in others, `fromUser` only in what a user says. */
interface Cue {
  readonly kind: StatementKind;
  readonly words: readonly string[];
  readonly anywhere: readonly string[];
  readonly fromUser: readonly string[];
}

/**
 * What gives a sentence away; the first kind that matches wins. The lists are short on purpose: a missed sentence is
 * still in the journal, a wrong one takes the place of identifiers. What a user demands with *always* or *avoid*, a
 * model merely tells, so softer words count in the user's mouth alone.
 */
const cues: readonly Cue[] = [
  {
    kind: 'correction',
    words: ['i was wrong', 'my mistake', 'should have been', 'stimmt nicht', 'das ist falsch', 'en realidad'],
    anywhere: ['我错了', '弄错', '不对', '間違', '訂正', '틀렸'],
    fromUser: [
      '^no[,.] ',
      '\\bactually,',
      "\\b(?:not what i|i meant|you (?:misunderstood|forgot)|that(?:['’]s| is) (?:wrong|not)|revert|undo)\\b",
      '(?<![报出])错了|不是这|应该是|改成|改为|我的意思|纠正|違います|ではなく|아니라|잘못',
    ],
  },
  {
    kind: 'constraint',
    words: ['must (?:not|never)', 'not allowed', 'forbidden', 'darf nicht', 'niemals', 'il est interdit'],
    anywhere: ['必须', '禁止', '务必', '不得', '必ず', 'してはいけない', '반드시', '금지'],
    fromUser: [
      '\\b(?:must|never|always|make sure|ensure|avoid|required|prefer|at (?:most|least)|no more than|instead of)\\b',
      "(?<!\\b(?:i|we|you|they) )\\b(?:don['’]t|do not)\\b",
      '\\b(?:muss|immer|jamais|toujours|il faut|nunca|siempre|hay que)\\b|müssen',
      '不要|不能|不可|一定要|总是|只能|永远|至少|最多|千万|しないで|なければならない|하지 ?마|항상|절대',
    ],
  },
  {
    kind: 'decision',
    words: [
      'decided',
      "let['’]s (?:use|go|keep)",
      'go(?:ing)? with',
      "(?:we|i)(?:['’]ll| will| are going to) use",
      'chose',
      'opted for',
      'agreed',
      'settled on',
      'root cause',
      'turns out',
      'entschieden',
      'wir nehmen',
      'decidido',
      'usaremos',
    ],
    anywhere: [
      '决定',
      '采用',
      '选用',
      '就用',
      '定为',
      '敲定',
      '根因',
      '原因是',
      'にします',
      '採用',
      '결정',
      '채택',
      'décidé',
    ],
    fromUser: [],
  },
  {
    kind: 'error',
    words: ['fail(?:s|ed|ing)', 'crash(?:es|ed)?', 'broken', "does(?:n['’]t| not) work", 'fehlgeschlagen', 'fehler'],
    anywhere: ['报错', '失败', '崩溃', '出错', 'エラー', '失敗', '오류', '실패', 'échec', 'falló'],
    fromUser: ['\\b(?:error|exception|failure|bug|erreur)\\b', '错误|异常|例外|不具合|에러|예외'],
  },
];

const shapes: readonly { readonly kind: StatementKind; readonly said: RegExp; readonly demanded: RegExp }[] = cues.map(
  ({ kind, words, anywhere, fromUser }) => {
    const both = [`\\b(?:${words.join('|')})\\b`, ...anywhere];
    return { kind, said: new RegExp(both.join('|'), 'i'), demanded: new RegExp([...both, ...fromUser].join('|'), 'i') };
  },
);

/** Who says a sentence. */
export type Speaker = 'user' | 'assistant';

/** Kind of the first cue in a text; `null` when it has none. */
export function statementKindOf(text: string, by: Speaker): StatementKind | null {
  const match = shapes.find(({ said, demanded }) => (by === 'user' ? demanded : said).test(text));
  return match?.kind ?? null;
}

/**
 * The sentences of a text that set a rule, settle something, put something right or tell of a failure, in order.
 * Code blocks, quotations, tables and indented lines are left out: they are what somebody else said.
 */
export function statementsOf(text: string, by: Speaker): readonly Statement[] {
  const found: Statement[] = [];
  for (const sentence of sentencesOf(text)) {
    if (sentence.length + 2 * countWide(sentence) < minLength) continue;
    const line = firstLine(sentence);
    const kind = statementKindOf(line, by);
    if (kind !== null) found.push({ kind, text: line });
  }
  return found;
}

/** How far into the output of a failed tool its message is looked for, in UTF-16 code units. */
const errorReach = 4_000;

const errorCue =
  /error|exception|fatal|fail|denied|cannot|can['’]t|not found|no such|invalid|timed? ?out|refused|错误|失败/i;

/**
 * The first line of a failed tool's output that says what went wrong, else its first line. A line that ends with a colon
 * says it with the next one.
 */
export function errorLine(output: string): string {
  const lines = output
    .slice(0, errorReach)
    .split(/[\n\r\u2028\u2029]/)
    .filter((line) => line.trim() !== '');
  const start = Math.max(
    0,
    lines.findIndex((line) => errorCue.test(line)),
  );
  const [first = '', next = ''] = lines.slice(start, start + 2);
  return firstLine(first.trimEnd().endsWith(':') ? `${first.trimEnd()} ${next.trim()}` : first);
}

/** The first line with something on it, cut to the length of a statement. */
function firstLine(text: string): string {
  const start = text.search(/\S/);
  if (start < 0) return '';
  const line = text.slice(start, start + maxLength + 1).split(/[\n\r\u2028\u2029]/, 1)[0] as string;
  if (line.length <= maxLength) return line.trimEnd();
  const space = line.lastIndexOf(' ', maxLength - 1);
  return `${cutText(line, 0, space > maxLength / 2 ? space : maxLength - 1)}…`;
}

function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  let inFence = false;
  for (const line of text.split('\n')) {
    if (/^ {0,3}```/.test(line)) inFence = !inFence;
    else if (!inFence && !/^(?: {4}|\t|>|\||\$ |#)/.test(line))
      splitLine(line.replace(/^ *(?:[-*•] |\d{1,3}[.)] )/, ''), sentences);
  }
  return sentences;
}

/** Cuts after `.`, `!`, `?` and `;` before a space, and after their wide forms. */
function splitLine(line: string, into: string[]): void {
  let start = 0;
  for (let index = 0; index < line.length; index++) {
    const character = line[index] as string;
    const ends = '。！？；'.includes(character) || ('.!?;'.includes(character) && line[index + 1] === ' ');
    if (!ends) continue;
    into.push(line.slice(start, index + 1).trim());
    start = index + 1;
  }
  if (start < line.length) into.push(line.slice(start).trim());
}

function countWide(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= 0x3040) wide += 1;
  return wide;
}
