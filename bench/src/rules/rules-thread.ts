import { measureHere } from '../measure/in-thread.ts';
import { rules } from './rules.ts';

await measureHere(rules);
