import { measureHere } from '../measure/in-thread.ts';
import { models } from './models.ts';

await measureHere(models);
