export { freshDatabase, migratedDatabase, type TestDatabase } from '../../../../tools/testing/postgres.ts';
