export { freshDatabase, type TestDatabase } from '../../../../tools/testing/postgres.ts';
