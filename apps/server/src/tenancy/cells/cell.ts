/** The name of the database of `DATABASE_URL`, or of the embedded one. */
export const homeDatabase = 'home';
