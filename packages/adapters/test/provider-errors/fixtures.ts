import { accountFixtures } from './account-fixtures.ts';
import type { ErrorFixture } from './error-fixture.ts';
import { largeProviders } from './large-providers.ts';
import { requestFixtures } from './request-fixtures.ts';
import { smallerProviders } from './smaller-providers.ts';

/** Inputs that are too long: compaction helps. */
export const overflowFixtures: readonly ErrorFixture[] = [...largeProviders, ...smallerProviders];

/** Errors that compaction does not cure. */
export const otherFixtures: readonly ErrorFixture[] = [...accountFixtures, ...requestFixtures];
