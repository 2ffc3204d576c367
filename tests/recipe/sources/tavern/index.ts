export { Tavern as Inn } from './tavern';
export * from './dice';
