import { pick, seededRandom } from '../../../seeded-random.ts';
import { madeUpStart, makeTrajectory, makeTurn, type Question, type Trajectory } from '../trajectory.ts';
import type { DialogueLanguage, Exchange, FactTemplate } from './dialogue-language.ts';

/** Exchanges of one dialogue; each is two turns. */
const exchanges = 220;
const exchangesPerDay = 22;
const decoysPerFact = 2;
const minute = 60_000;
const day = 24 * 60 * minute;

/** A made-up dialogue: small talk of ten days, with facts planted in its first nine. The same for the same seed. */
export function makeDialogue(
  language: DialogueLanguage,
  { seed, set, id }: { readonly seed: number; readonly set: string; readonly id: string },
): Trajectory {
  const random = seededRandom(seed);
  const fill = createSlots(language, random);
  const decoys = language.facts.filter(isNamed).flatMap((fact) => Array.from({ length: decoysPerFact }, () => fact));
  const free = shuffled(range(Math.floor(exchanges * 0.9)), random);
  const planted = new Map<number, Exchange>();
  // A fact that is told in parts is told in their order.
  const plant = (fact: FactTemplate, words: Map<string, string>): readonly string[] => {
    const places = free.splice(0, fact.told.length).sort((left, right) => left - right);
    return fact.told.map(([said, answered], part) => {
      const exchange: Exchange = [fill(said, words), fill(answered, words)];
      planted.set(places[part] as number, exchange);
      return exchange[0];
    });
  };
  const questions = language.facts.map((fact): Question => {
    const words = new Map<string, string>();
    const evidence = plant(fact, words);
    const gold = fact.gold === null ? [] : [words.get(fact.gold) as string];
    return { text: fill(fact.question, words), evidence, isAnyEnough: false, gold };
  });
  for (const fact of decoys) plant(fact, new Map());
  const turns = range(exchanges).flatMap((index) => {
    const [said, answered] = planted.get(index) ?? smallTalk(language, { random, fill });
    const at = madeUpStart + Math.floor(index / exchangesPerDay) * day + (index % exchangesPerDay) * minute;
    return [makeTurn('user', said, { at }), makeTurn('assistant', answered, { at: at + minute / 4 })];
  });
  return makeTrajectory({ id, set }, turns, { questions });
}

/** Facts whose question names somebody or something: the same is told of others, too. */
function isNamed({ question, told }: FactTemplate): boolean {
  return told.length === 1 && question.includes('{');
}

type Fill = (template: string, words: Map<string, string>) => string;

function smallTalk(
  { smallTalk: talk }: DialogueLanguage,
  { random, fill }: { readonly random: () => number; readonly fill: Fill },
): Exchange {
  const words = new Map<string, string>();
  const [said, answered] = pick(random, talk);
  // The answer speaks of another dish than the question does.
  return [fill(said, words), fill(answered, new Map())];
}

/** Fills slots. Within one fact a slot keeps its word; facts share no person, no pet and no drawn number. */
function createSlots({ words: lists }: DialogueLanguage, random: () => number): Fill {
  const unused = new Map(Object.entries(lists).map(([slot, list]) => [slot, shuffled(list, random)]));
  const numbers = new Set<string>();
  const drawn = (make: () => string): string => {
    for (let text = make(); ; text = make()) {
      if (!numbers.has(text)) {
        numbers.add(text);
        return text;
      }
    }
  };
  const digit = (): string => String(Math.floor(random() * 10));
  const wordFor = (slot: string): string => {
    if (slot === 'number' || slot === 'amount') return drawn(() => String(100 + Math.floor(random() * 900)));
    if (slot === 'code')
      return drawn(() => `${pick(random, ['KX', 'RV', 'TQ', 'BW'])}-${digit()}${digit()}${digit()}${digit()}`);
    const left = unused.get(slot) ?? [];
    const list = lists[slot];
    if (list === undefined) throw new Error(`There are no words for {${slot}}.`);
    return left.pop() ?? pick(random, list);
  };
  return (template, words) =>
    template.replaceAll(/\{(\w+)\}/g, (_, slot: string) => {
      const word = words.get(slot) ?? wordFor(slot);
      words.set(slot, word);
      return word;
    });
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const copy = [...items];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [copy[index], copy[other]] = [copy[other] as Item, copy[index] as Item];
  }
  return copy;
}
