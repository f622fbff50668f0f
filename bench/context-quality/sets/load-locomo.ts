import { join } from 'node:path';
import { type Foreign, readJson } from './read-json.ts';
import { makeTrajectory, makeTurn, type Question, type Trajectory, type Turn } from './trajectory.ts';

interface Session {
  readonly at: number;
  readonly turns: readonly { readonly key: string; readonly turn: Turn; readonly raw: string }[];
}

interface Conversation {
  readonly id: string;
  readonly sessions: readonly Session[];
  readonly questions: readonly Question[];
}

const step = 30_000;
/** Questions that have no answer. */
const adversarial = 5;

/** Long dialogues of two people, each alone. The one who speaks first is the user. */
export function loadLocomo(folder: string, set: string): readonly Trajectory[] {
  return conversationsOf(folder).map(({ id, sessions, questions }) =>
    makeTrajectory({ id, set }, turnsOf(sessions), { questions }),
  );
}

/** All dialogues in one history, session by session in the order of their dates. */
export function loadLocomoMerged(folder: string, set: string): readonly Trajectory[] {
  const conversations = conversationsOf(folder);
  const sessions = conversations.flatMap((one) => one.sessions).sort((left, right) => left.at - right.at);
  const questions = conversations.flatMap((one) => one.questions);
  return [makeTrajectory({ id: 'merged', set }, turnsOf(sessions), { questions })];
}

function turnsOf(sessions: readonly Session[]): readonly Turn[] {
  return sessions.flatMap(({ turns }) => turns.map(({ turn }) => turn));
}

function conversationsOf(folder: string): readonly Conversation[] {
  return (readJson(join(folder, 'locomo10.json')) as Foreign[]).map(({ sample_id: id, conversation, qa }) => {
    const sessions = sessionsOf(conversation);
    const texts = new Map(sessions.flatMap(({ turns }) => turns.map(({ key, raw }) => [key, raw] as const)));
    const questions = (qa as Foreign[])
      .filter(({ category }) => category !== adversarial)
      .flatMap((asked) => {
        const keys = ((asked.evidence ?? []) as unknown[])
          .flatMap((key) => String(key).split(/[;,\s]+/))
          .map((key) => key.replace(/D(\d+):0*(\d+)/, 'D$1:$2'));
        const evidence = keys.flatMap((key) => texts.get(key) ?? []);
        return evidence.length === 0 ? [] : [{ text: asked.question, evidence, isAnyEnough: false, gold: [] }];
      });
    return { id, sessions, questions };
  });
}

function sessionsOf(conversation: Foreign): readonly Session[] {
  const first: string = conversation.session_1?.[0]?.speaker ?? conversation.speaker_a;
  const numbers = Object.keys(conversation)
    .flatMap((name) => /^session_(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((left, right) => left - right);
  return numbers.map((number) => {
    const at = momentOf(conversation[`session_${number}_date_time`]);
    const turns = (conversation[`session_${number}`] as Foreign[]).map((line, index) => {
      const shared = line.blip_caption ? ` [shares ${line.blip_caption}]` : '';
      const role = line.speaker === first ? 'user' : 'assistant';
      const facts = { at: at + index * step, speaker: line.speaker };
      const turn = makeTurn(role, `${line.speaker}: ${line.text}${shared}`, facts);
      return { key: line.dia_id, turn, raw: line.text };
    });
    return { at, turns };
  });
}

/** `1:56 pm on 8 May, 2023` as a moment, in UTC. */
function momentOf(text: string): number {
  const [clock = '', date = ''] = text.split(' on ');
  return Date.parse(`${date} ${clock} UTC`);
}
