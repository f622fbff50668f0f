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

/**
 * Words that give a sentence away, by kind; the first kind that matches wins. English is matched at word boundaries,
 * scripts without spaces anywhere. The lists are short on purpose: a missed sentence is still in the journal, a wrong
 * one takes the place of an identifier.
 */
const cues: readonly (readonly [StatementKind, RegExp])[] = [
  [
    'correction',
    cue(
      "actually,|not what i|i meant|i was wrong|you (?:misunderstood|forgot)|that(?:'s|’s| is) (?:wrong|not)|should have been|" +
        'revert|stimmt nicht|das ist falsch|ce n.est pas|en realidad',
      '^no[,. ]|不对|错了|不是这|应该是|改成|改为|我的意思|纠正|弄错|違います|間違|ではなく|訂正|아니라|틀렸|잘못',
    ),
  ],
  [
    'constraint',
    cue(
      "must|never|always|do(?:n['’]t| not) (?!have|know|think|see|need)|make sure|ensure|avoid|not allowed|forbidden|" +
        'required|prefer|at (?:most|least)|no more than|instead of|muss|müssen|niemals|darf nicht|immer|jamais|toujours|' +
        'il faut|nunca|siempre|hay que',
      '必须|不要|不能|不可|禁止|务必|一定要|总是|只能|永远|至少|最多|不得|千万|必ず|しないで|なければならない|' +
        'してはいけない|반드시|하지 ?마|금지|항상|절대',
    ),
  ],
  [
    'decision',
    cue(
      "decided|decision|let['’]s (?:use|go|keep)|go(?:ing)? with|(?:we|i)(?:['’]ll| will| are going to) use|chose|opted for|" +
        'agreed|settled on|root cause|turns out|entschieden|wir nehmen|decidido|usaremos',
      'décidé|决定|采用|选择|选用|就用|定为|敲定|根因|原因是|にします|決定|決め|採用|결정|사용하기로|채택',
    ),
  ],
  [
    'error',
    cue(
      'error|exception|fail(?:s|ed|ing|ure)?|crash(?:es|ed)?|broken|does(?:n.t| not) work|fehler|fehlgeschlagen|erreur',
      'échec|falló|错误|报错|失败|异常|崩溃|出错|エラー|失敗|例外|不具合|오류|에러|실패|예외',
    ),
  ],
];

function cue(words: string, anywhere: string): RegExp {
  return new RegExp(`\\b(?:${words})\\b|${anywhere}`, 'i');
}

/** Kind of the first cue in a text; `null` when it has none. */
export function statementKindOf(text: string): StatementKind | null {
  return cues.find(([, shape]) => shape.test(text))?.[0] ?? null;
}

/**
 * The sentences of a text that set a rule, settle something, put something right or tell of a failure, in order.
 * Code blocks, quotations, tables and indented lines are left out: they are what somebody else said.
 */
export function statementsOf(text: string): readonly Statement[] {
  const found: Statement[] = [];
  for (const sentence of sentencesOf(text)) {
    const weight = sentence.length + 2 * countWide(sentence);
    if (weight < minLength) continue;
    const line = firstLine(sentence);
    const kind = statementKindOf(line);
    if (kind !== null) found.push({ kind, text: line });
  }
  return found;
}

/** The first line with something on it, cut to the length of a statement. */
export function firstLine(text: string): string {
  const start = text.search(/\S/);
  if (start < 0) return '';
  const line = text.slice(start, start + maxLength + 1).split(/[\n\r\u2028\u2029]/, 1)[0] as string;
  if (line.length <= maxLength) return line.trimEnd();
  const space = line.lastIndexOf(' ', maxLength - 1);
  let end = space > maxLength / 2 ? space : maxLength - 1;
  if (/[\ud800-\udbff]/.test(line[end - 1] as string)) end -= 1;
  return `${line.slice(0, end)}…`;
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
