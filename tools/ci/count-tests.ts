/**
 * Prints `passed failed` of a vitest JSON report, for .ci/run to add up. A file that could not be loaded counts as one
 * failure: otherwise a broken import would not be counted.
 *
 *     node tools/ci/count-tests.ts report.json
 */
import { readFileSync } from 'node:fs';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Report;
const unloaded = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
);
process.stdout.write(`${report.numPassedTests} ${report.numFailedTests + unloaded.length}\n`);
