import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take half a minute or more, though they are small. By itself, vitest begins with the largest files, and
 * these would go on alone at the end.
 */
const longest = [
  'apps/demo-bank/test/demo.integration.test.ts',
  'bench/test/begin.test.ts',
  'e2e/test/held-payments.test.ts',
  'e2e/test/ingest-threads.test.ts',
  'e2e/test/master-key.test.ts',
  'e2e/test/recovery.test.ts',
  'e2e/test/users.test.ts',
];

/** Begins with the longest files of each group, so that no worker is idle at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
