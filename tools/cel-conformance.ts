/** Writes docs/reference/cel-conformance.md from a run of CEL's conformance corpus. A test holds the page up to date. */
import { writeFileSync } from 'node:fs';
import { conformancePage } from '../packages/policy/test/conformance/page.ts';

writeFileSync(new URL('../docs/reference/cel-conformance.md', import.meta.url), conformancePage());
