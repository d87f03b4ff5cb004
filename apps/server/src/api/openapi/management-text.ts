import { managementRoutes } from '../routes.ts';
import { managementDocument } from './document.ts';

/** The document as it is served and committed: indented, with a final line break. */
export function managementText(): string {
  const operations = managementRoutes.map(({ operation }) => operation);
  return `${JSON.stringify(managementDocument(operations), undefined, 2)}\n`;
}
