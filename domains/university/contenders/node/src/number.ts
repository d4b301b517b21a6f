/** IDs are texts in GraphQL and numbers in the store. */

const MOST = 2 ** 31 - 1;

/** Returns the number that an ID stands for; undefined where no row can have it. */
export function parseNumber(id: string): number | undefined {
  const number = Number(id);
  return /^\d+$/.test(id) && number <= MOST ? number : undefined;
}
