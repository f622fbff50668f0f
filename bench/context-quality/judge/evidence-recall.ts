import { normalized, sentencesOf } from './sentences.ts';

/** A question whose answer stands in known turns of a conversation. */
export interface JudgedQuestion {
  readonly text: string;
  /** Texts of the turns that hold the answer. */
  readonly evidence: readonly string[];
  /** One of the turns is enough. */
  readonly isAnyEnough: boolean;
  /** Strings of which one is the answer. */
  readonly gold: readonly string[];
}

/** What a context holds of the answer to a question: shares from 0 to 1. */
export interface EvidenceScore {
  /** Mean over the evidence, or its best part where one part is enough. */
  readonly share: number;
  /** 1 when all that is needed is there. */
  readonly all: number;
  /** 1 when a gold string stands at word boundaries; `null` for a question without one. */
  readonly answer: number | null;
}

/** Below it a turn counts as incomplete. */
const completeShare = 0.999;

/**
 * M1. An evidence turn's score is the share of its characters, sentence by sentence, that stand verbatim in the
 * context; case, white space and the form of quotes and dashes do not matter.
 */
export function scoreEvidence(question: JudgedQuestion, context: string): EvidenceScore {
  const text = plainText(context);
  const shares = question.evidence.map((turn) => shareOf(turn, text));
  const gold = question.gold.length === 0 ? null : hasAnswer(text, question.gold) ? 1 : 0;
  if (shares.length === 0) return { share: gold ?? 0, all: gold ?? 0, answer: gold };
  const share = question.isAnyEnough ? Math.max(...shares) : shares.reduce((sum, one) => sum + one, 0) / shares.length;
  const isAll = question.isAnyEnough ? share >= completeShare : shares.every((one) => one >= completeShare);
  return { share, all: isAll ? 1 : 0, answer: gold };
}

function shareOf(turn: string, text: string): number {
  const sentences = sentencesOf(turn)
    .map(plainText)
    .filter((sentence) => sentence.length > 2);
  const all = sentences.reduce((sum, { length }) => sum + length, 0);
  if (all === 0) return 0;
  return sentences.reduce((sum, sentence) => (text.includes(sentence) ? sum + sentence.length : sum), 0) / all;
}

/** Whether one of the strings stands in the text, not as a part of a longer word. */
export function hasAnswer(text: string, gold: readonly string[]): boolean {
  const plain = plainText(text);
  return gold.some((one) => {
    const pattern = plainText(one).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(^|[^a-z0-9])${pattern}($|[^a-z0-9])`).test(plain);
  });
}

/** As `normalized`, with typewriter quotes and dashes. */
export function plainText(text: string): string {
  return normalized(text)
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u201c\u201d]/g, '"')
    .replaceAll(/[\u2013\u2014]/g, '-');
}
