import { makeTurn, type Trajectory } from './trajectory.ts';

const day = 24 * 60 * 60 * 1_000;
const isoDate = /\b((?:19|20)\d\d-\d\d-\d\d)(?=\b|T)/g;
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const writtenDate = new RegExp(String.raw`\b(\d{1,2}) (${months.join('|')})(,? )((?:19|20)\d\d)\b`, 'g');

/**
 * The same conversation on other days: times of messages, and dates in texts written as `2026-03-02` or `2 March 2026`.
 * Other ways of writing a date stay as they are.
 */
export function shiftTimes(trajectory: Trajectory, days: number): Trajectory {
  const shift = (text: string): string => shiftText(text, days);
  const turns = trajectory.turns.map((turn) => {
    const calls = turn.calls.map(({ id, name, input }) => ({
      id,
      name,
      input: input === undefined ? input : JSON.parse(shift(JSON.stringify(input))),
    }));
    return makeTurn(turn.role, shift(turn.text), { ...turn, at: turn.at + days * day, calls });
  });
  const questions = trajectory.questions.map((question) => ({
    ...question,
    text: shift(question.text),
    evidence: question.evidence.map(shift),
    gold: question.gold.map(shift),
  }));
  const compactions = trajectory.compactions.map((one) => ({ ...one, summary: shift(one.summary) }));
  return { ...trajectory, turns, questions, compactions };
}

function shiftText(text: string, days: number): string {
  const moved = (moment: number): Date => new Date(moment + days * day);
  return text
    .replaceAll(isoDate, (found, date: string) => {
      const moment = Date.parse(`${date}T00:00:00Z`);
      return Number.isNaN(moment) ? found : moved(moment).toISOString().slice(0, 10);
    })
    .replaceAll(writtenDate, (found, ...[date, month, comma, year]: string[]) => {
      const moment = Date.UTC(Number(year), months.indexOf(month ?? ''), Number(date));
      if (Number.isNaN(moment)) return found;
      const other = moved(moment);
      return `${other.getUTCDate()} ${months[other.getUTCMonth()]}${comma}${other.getUTCFullYear()}`;
    });
}
