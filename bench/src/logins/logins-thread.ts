import { measureHere } from '../measure/in-thread.ts';
import { logins } from './logins.ts';

await measureHere(logins);
