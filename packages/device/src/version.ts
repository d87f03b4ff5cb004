/** Of this SDK; a test holds it equal to the package.json. */
export const version = '0.1.0';
