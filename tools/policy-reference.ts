/** Writes docs/reference/policy-facts.md from the tables of packages/policy. A test checks that it is current. */
import { writeFileSync } from 'node:fs';
import { policyReference } from '../packages/policy/src/explain/reference.ts';

writeFileSync(new URL('../docs/reference/policy-facts.md', import.meta.url), policyReference());
