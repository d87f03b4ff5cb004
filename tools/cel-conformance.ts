/** Writes docs/reference/cel-conformance.md from a run of CEL's conformance corpus. A test checks that it is current. */
import { writeFileSync } from 'node:fs';
import { conformancePage } from '../packages/policy/test/conformance/page.ts';

writeFileSync(new URL('../docs/reference/cel-conformance.md', import.meta.url), conformancePage());
