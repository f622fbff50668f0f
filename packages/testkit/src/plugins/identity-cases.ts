import { assertEqual, assertFails, assertThat } from '../assert.ts';
import { sampleConversations } from '../conversation/sample-conversations.ts';
import { converse, promptTexts } from '../trial/trial-host.ts';
import { onPlugin, type PluginCase } from './plugin-subject.ts';

const namePattern = /^(@?[a-z0-9][a-z0-9-]*\/)?[a-z0-9]+(-[a-z0-9]+)*$/;
const versionPattern = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const rangePattern = /^[~^=]?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?$/;

/** What a plugin says of itself, and how it starts and ends. */
export const identityCases: readonly PluginCase[] = [
  onPlugin(
    'says its name, its version and the plugin API it is for',
    'What is sent is attributed to plugins by name and version; a range that allows everything promises what nobody can know.',
    async ({ subject }) => {
      const { name, version, apiVersion } = subject.create(subject.options);
      assertThat(namePattern.test(name), `the name "${name}" is not of the form "thing" or "owner/thing"`);
      assertEqual(name, subject.pluginName, 'the name of the plugin and of its factory');
      assertThat(versionPattern.test(version), `the version "${version}" is not a semantic version`);
      const ranges = apiVersion.split('||').map((range) => range.trim());
      const isBound = ranges.every((range) => rangePattern.test(range));
      assertThat(isBound, `the API version "${apiVersion}" is not a range such as "^1.0.0"`);
    },
  ),
  onPlugin(
    'refuses an option that it does not know',
    'A misspelt option that is ignored does something else than its user believes.',
    async ({ subject, open }) => {
      const given = { ...(subject.options as object | undefined), noPluginHasThisOption: true };
      const start = (): unknown => open({ plugin: subject.create(given) });
      await assertFails(start, 'VARVE_PLUGIN_OPTIONS', 'starting with an unknown option');
    },
  ),
  onPlugin(
    'names what each of its taps does',
    'Failures, deadlines and breakers are told apart by the names of taps.',
    async ({ open }) => {
      const { probe } = await open();
      const names = probe.taps.map(({ hook, name }) => `${hook}: ${name.trim()}`);
      assertThat(!names.some((name) => name.endsWith(': ')), 'a tap has no name');
      assertEqual(names.length, new Set(names).size, 'the number of its taps and of their names');
    },
  ),
  onPlugin(
    'taps hooks only while it is applied',
    'The order of taps is fixed when the host starts.',
    async ({ open }) => {
      const { host, clock, probe } = await open();
      for (const [index, { utterances }] of sampleConversations({ count: 2 }).entries()) {
        await converse(await host.open(`s${index}`), utterances, { clock, compacts: true });
      }
      assertEqual(probe.lateTaps, [], 'the hooks that it tapped later');
    },
  ),
  onPlugin(
    'cleans up without failing',
    'A host that closes has other plugins to clean up, and files to close.',
    async ({ open }) => {
      const { host, clock, probe } = await open();
      const [first] = sampleConversations({ count: 1 });
      await converse(await host.open('s'), first?.utterances ?? [], { clock });
      await host.close();
      assertEqual(probe.cleanUpErrors.map(String), [], 'what its clean-up threw');
    },
  ),
  onPlugin(
    'serves several hosts at once',
    'A plugin value may stand in the lists of two hosts; neither may notice the other.',
    async ({ subject, open }) => {
      const shared = subject.create(subject.options);
      const trials = [await open({ plugin: shared }), await open({ plugin: shared }), await open()];
      const texts: (readonly string[])[] = [];
      for (const { host, clock } of trials) {
        const session = await host.open('s');
        const [first] = sampleConversations({ count: 1 });
        texts.push(promptTexts(await converse(session, first?.utterances ?? [], { clock, idleMs: 600_000 })));
      }
      assertEqual(texts[1], texts[2], 'the prompts of the second host and of one with a plugin of its own');
      assertEqual(texts[0], texts[2], 'the prompts of the first host and of one with a plugin of its own');
    },
  ),
];
