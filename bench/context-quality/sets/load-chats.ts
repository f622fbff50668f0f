import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasAnswer, plainText } from '../judge/evidence-recall.ts';
import { type Foreign, readJson, readLines } from './read-json.ts';
import { madeUpStart, makeTrajectory, makeTurn, type Question, type Trajectory, type Turn } from './trajectory.ts';

/** A turn with the name that questions know it by. */
interface NamedTurn {
  readonly key: string;
  readonly turn: Turn;
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** What a monologue gets for answers, so that it is a conversation. */
const acknowledgement = 'Understood.';

/** BFCL's memory questions: a user tells, session by session; gold strings and verbatim quotes. */
export function loadBfcl(folder: string, set: string): readonly Trajectory[] {
  const answers = new Map(readLines(join(folder, 'BFCL_v4_memory.answers.json')).map((line) => [line.id, line]));
  const questions = readLines(join(folder, 'BFCL_v4_memory.json'));
  const conversations = join(folder, 'memory_prereq_conversation');
  return readdirSync(conversations)
    .sort()
    .map((file) => {
      const scenario = file.replace(/^memory_|\.json$/g, '');
      const turns = readLines(join(conversations, file)).flatMap((session: Foreign, index) =>
        (session.question as Foreign[]).flat().flatMap(({ content }, place) => {
          const at = madeUpStart + index * day + place * minute;
          return [makeTurn('user', content, { at }), makeTurn('assistant', acknowledgement, { at })];
        }),
      );
      const full = plainText(turns.map(({ text }) => text).join('\n'));
      const asked = questions.filter((question) => question.scenario === scenario);
      return makeTrajectory({ id: scenario, set }, turns, {
        questions: asked.flatMap((question) => bfclQuestion(question, answers.get(question.id), full)),
      });
    });
}

/** Questions whose gold and whose quote stand in the conversation; the others cannot be answered from it. */
function bfclQuestion(question: Foreign, answer: Foreign, full: string): readonly Question[] {
  const gold: string[] = answer.ground_truth;
  const parts = plainText(answer.source ?? '')
    .replaceAll(/^"+|"+$/g, '')
    .replace(/^[a-z]+day: |^[a-z]+: /, '')
    .split(/\.{2,}|…/)
    .map((part) => part.replaceAll(/^["\s]+|[.,\s"]+$/g, ''))
    .filter((part) => part.length > 12 && full.includes(part));
  if (parts.length === 0 || !hasAnswer(full, gold)) return [];
  return [{ text: question.question[0][0].content, evidence: parts, isAnyEnough: false, gold }];
}

/** MemoryBank's Chinese users, with evidence that was labelled by hand. */
export function loadMemoryBank(folder: string, set: string): readonly Trajectory[] {
  const bank = readJson(join(folder, 'memory_bank_cn.json'));
  const labels = readJson(join(folder, 'labels_cn.json'));
  const asked: Foreign = Object.assign({}, ...readLines(join(folder, 'probing_questions_cn.jsonl')));
  return Object.keys(labels)
    .filter((user) => !user.startsWith('_') && bank[user] !== undefined)
    .map((user) => {
      const days = Object.entries<Foreign[]>(bank[user].history);
      const named = days.flatMap(([date, pairs]) =>
        pairs.flatMap((pair, index) => {
          const facts = { at: Date.parse(`${date}T09:00:00Z`) + index * minute };
          const key = `${date.slice(5)}#${index}`;
          return [
            { key: `${key}:U`, turn: makeTurn('user', pair.query, facts) },
            { key: `${key}:A`, turn: makeTurn('assistant', pair.response, facts) },
          ];
        }),
      );
      const questions = (labels[user] as Foreign[]).map((label) =>
        questionOf(named, {
          text: asked[user][label.q],
          keys: label.ev,
          isAnyEnough: label.any === true,
          gold: label.gold,
        }),
      );
      return makeTrajectory(
        { id: user, set },
        named.map(({ turn }) => turn),
        { questions },
      );
    });
}

const mostKdconvDialogues = 240;

/** Chinese dialogues as one history; the last turns of others are the questions, the same fact is the evidence. */
export function loadKdconv(folder: string, set: string): readonly Trajectory[] {
  const dialogues: Foreign[] = ['travel', 'film', 'music']
    .filter((name) => existsSync(join(folder, `${name}_dev.json`)))
    .flatMap((name) =>
      (readJson(join(folder, `${name}_dev.json`)) as Foreign[]).map((dialogue, index) => ({
        id: `${name}${index}`,
        lines: (dialogue.messages as Foreign[]).map((line) => ({
          text: line.message,
          facts: ((line.attrs ?? []) as Foreign[])
            .filter(({ attrname }) => attrname !== 'Information')
            .map((fact) => `${fact.name}|${fact.attrname}|${fact.attrvalue}`),
        })),
      })),
    );
  const history = dialogues.filter((_, index) => index % 5 !== 0).slice(0, mostKdconvDialogues);
  const asked = dialogues.filter((_, index) => index % 5 === 0);
  return [derived({ id: 'kdconv', set }, { history, asked, onlyFirstFact: true })];
}

/** Korean support dialogues as one history; questions as for the Chinese ones, the same passage is the evidence. */
export function loadHgTods(folder: string, set: string): readonly Trajectory[] {
  const file = readdirSync(folder).find((name) => name.startsWith('manual2dial')) ?? '';
  const dialogues = Object.values<Foreign[]>(readJson(join(folder, file)).dial_data)
    .flat()
    .map((dialogue) => ({
      id: dialogue.dial_id,
      lines: (dialogue.turns as Foreign[]).map((turn) => ({
        text: turn.utterance,
        facts: turn.role === 'user' ? [] : (turn.references as Foreign[]).map((one) => `${one.doc_id}|${one.id_sp}`),
      })),
    }));
  const history = dialogues.filter((_, index) => index % 4 !== 0);
  const asked = dialogues.filter((_, index) => index % 4 === 0);
  return [derived({ id: 'hg-tods', set }, { history, asked, onlyFirstFact: false })];
}

interface FactDialogue {
  readonly id: string;
  readonly lines: readonly { readonly text: string; readonly facts: readonly string[] }[];
}

interface FactDialogues {
  readonly history: readonly FactDialogue[];
  readonly asked: readonly FactDialogue[];
  /** Whether a question is about the first fact of its turn that the history holds, or about all of them. */
  readonly onlyFirstFact: boolean;
}

const contextLines = 3;

function derived(
  identity: { readonly id: string; readonly set: string },
  { history, asked, onlyFirstFact }: FactDialogues,
): Trajectory {
  const named: NamedTurn[] = [];
  const holders = new Map<string, string[]>();
  for (const [number, { id, lines }] of history.entries()) {
    for (const [index, { text, facts }] of lines.entries()) {
      const key = `${id}:${index}`;
      const at = madeUpStart + number * day + index * minute;
      named.push({ key, turn: makeTurn(index % 2 === 0 ? 'user' : 'assistant', text, { at }) });
      for (const fact of facts) holders.set(fact, [...(holders.get(fact) ?? []), key]);
    }
  }
  const questions = asked.flatMap(({ lines }) =>
    lines.flatMap(({ facts }, index) => {
      const held = facts.filter((fact) => holders.has(fact)).slice(0, onlyFirstFact ? 1 : undefined);
      const keys = [...new Set(held.flatMap((fact) => holders.get(fact) ?? []))];
      if (index === 0 || keys.length === 0) return [];
      const context = lines.slice(Math.max(0, index - contextLines), index);
      return [
        questionOf(named, { text: context.map(({ text }) => text).join('\n'), keys, isAnyEnough: true, gold: [] }),
      ];
    }),
  );
  return makeTrajectory(
    identity,
    named.map(({ turn }) => turn),
    { questions },
  );
}

/** A question whose evidence is named by keys; keys that no turn has are left out. */
function questionOf(
  named: readonly NamedTurn[],
  asked: {
    readonly text: string;
    readonly keys: readonly string[];
    readonly isAnyEnough: boolean;
    readonly gold: readonly string[];
  },
): Question {
  const { keys, ...question } = asked;
  const evidence = keys.flatMap((key) => named.find((one) => one.key === key)?.turn.text ?? []);
  return { ...question, evidence };
}
