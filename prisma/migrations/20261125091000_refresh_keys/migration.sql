-- A sign-in of before has no refresh key. It is not given one: whoever has copied its cookie would get it.
-- AlterTable
ALTER TABLE "SignIn" ADD COLUMN     "keyHash" TEXT;
