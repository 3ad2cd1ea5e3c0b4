/** Signs that nobody sees, or that turn the writing around: two names that hold them could look alike. */
export const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
