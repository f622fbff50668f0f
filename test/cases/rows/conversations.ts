import { type CaseFamily, inFile } from '../case-row.ts';
import { testFiles as at } from '../test-files.ts';

const indexDamage =
  'a store whose index is damaged > R-13: loses no conversation, and the next message goes on where it was';

const zones = ['Asia/Shanghai', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'America/Sao_Paulo'];

/** Which conversation a message belongs to, when it ends, what may leave it, and what is left of it after damage. */
export const conversations: CaseFamily = {
  title: 'Conversations: keys, ends, what leaves, and what damage leaves',
  rows: [
    {
      id: 'R-13',
      wrong: 'The list of sessions is cut off; one message later, all sessions are gone.',
      right: 'It is made anew from the journals, and the message goes on where the conversation was.',
      tests: [
        ...inFile(
          at.damagedStore,
          ...['empty', 'cut in half', 'no text', 'away'].map((damage) => `${indexDamage}: ${damage}`),
        ),
        ...inFile(at.damageTable, 'a damaged index'),
      ],
    },
    {
      id: 'R-14',
      wrong: 'One line of a file is damaged, and all before it is no longer seen.',
      right: 'It costs that line.',
      tests: [
        ...inFile(
          at.journalDamage,
          'damage inside a journal > costs the one line that it is in, whichever byte is changed',
        ),
        ...inFile(at.journalDamage, 'damage inside a journal > reports a line that was cut and reads all others'),
        ...inFile(
          at.damagedStore,
          'a store whose index is damaged > R-14: goes on behind a line of a journal that is damaged, with all others in place',
        ),
      ],
    },
    {
      id: 'R-15',
      wrong: 'Another program appends to a torn line; its entry is lost with that line.',
      right: 'The torn bytes are put aside, and the entry is read.',
      tests: inFile(
        at.journalDamage,
        'a torn tail',
        'damage inside a journal > reads the entry that another program glued to a torn line',
      ),
    },
    {
      id: 'R-15b',
      wrong: 'The first line of a file is damaged, and the file is cut down to nothing.',
      right: 'The line is made anew, and every byte is still there.',
      tests: inFile(at.journalDamage, 'a journal whose header is damaged'),
    },
    {
      id: 'R-21',
      wrong: 'The night before clocks are put forward over the hour of the reset, the day ends an hour late.',
      right: 'Days end where an oracle without a calendar says so, in every zone and at every hour of four years.',
      tests: inFile(
        at.dayBoundary,
        'the end of a day',
        ...zones.map((zone) => `in ${zone}, days end when an oracle without a calendar library says so`),
      ),
    },
    {
      id: 'R-22',
      wrong: 'Sending was switched off; a new conversation, or the end of the day, switches it on again.',
      right: 'It stays off until the owner says otherwise, and each thing that does not leave says why.',
      tests: [
        ...inFile(at.sendPolicies, '/send off'),
        ...inFile(at.carryOver, 'what is carried over'),
        ...inFile(at.lifecycleCrash, "'a daily reset'", "'a reset that somebody asked for'"),
      ],
    },
    {
      id: 'R-23',
      wrong: 'Two people whose names differ by case share a conversation, and a colon in a name breaks its key.',
      right: 'A peer is taken letter by letter, and every key is read back as it was written.',
      tests: [
        ...inFile(
          at.sessionKeys,
          'a session key > holds peers of 10,000 characters, and tells peers apart that differ by case alone',
        ),
        ...inFile(at.sessionKeys, 'a session key > is read back as it was written, whatever its parts hold'),
        ...inFile(
          at.receive,
          'peers of any characters each have a conversation of their own, in which their words stay',
        ),
      ],
    },
    {
      id: 'R-23b',
      wrong: 'Agents that are named in Chinese characters are one agent.',
      right: 'Names in any script stay apart.',
      tests: inFile(at.sessionKeys, 'a session key > keeps agents apart whose names are in any script'),
    },
    {
      id: 'R-24',
      wrong:
        'A link says that two names are one person, and each has a conversation; or a stranger with the person’s name gets into it.',
      right: 'The link decides in every scope of direct chats, and nobody gets in by a name.',
      tests: [
        ...inFile(
          at.routing,
          'the route of a message > makes one person one conversation in every scope of direct chats but main',
        ),
        ...inFile(
          at.routing,
          'the route of a message > never lets a stranger named like a person, or by another case, into their conversation',
        ),
        ...inFile(at.memoryScope, 'what is learnt in a direct chat'),
      ],
    },
    {
      id: 'R-27',
      wrong: 'A sub-agent ends while its parent is busy; it is announced three times and given up.',
      right: 'Its end waits in its own journal, and comes in once.',
      tests: [
        ...inFile(at.subagentParent, 'the end of a sub-agent comes in once'),
        ...inFile(
          at.subagentRecovery,
          'after a restart > an end comes in once, wherever the process was killed between the task and the last note of its end',
        ),
      ],
    },
    {
      id: 'R-29',
      wrong: 'A listener of an event throws, and the next one is not called.',
      right: 'Each is called, and the failure is told.',
      tests: inFile(at.events, 'delivery > tells of a listener that fails, in whatever way, and goes on'),
    },
    {
      id: 'R-30',
      wrong: 'Two processes change the list of sessions, and changes are lost.',
      right: 'All of them are there.',
      tests: inFile(at.sessionIndex, 'two processes on one root', 'two stores on one root'),
    },
    {
      id: 'R-32',
      wrong: 'A clock jumps back, and conversations end for a time that never passed.',
      right: 'One that jumps back ends none, and what is begun then is the one that goes on.',
      tests: [
        ...inFile(
          at.damagedStore,
          'a clock that jumps > R-32: back begins no conversation anew, and the one that goes on stays the one',
        ),
        ...inFile(
          at.resetRules,
          'a conversation > R-32: is never stale because a clock was put back, and a new one begins at most once a step forward',
        ),
        ...inFile(at.lifecycle, 'a reset > is newer than the generation before, also when the clock jumps back'),
      ],
    },
  ],
};
