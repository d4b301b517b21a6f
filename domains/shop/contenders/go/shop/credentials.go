package shop

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// PasswordCost is how many iterations of PBKDF2-HMAC-SHA256 a new password gets; an old one says it.
const PasswordCost = 1000

const tokenKey = "wirelab-shop"

func hashPassword(password string) (string, error) {
	salt := make([]byte, 16)
	rand.Read(salt)
	hash, err := pbkdf2.Key(sha256.New, password, salt, PasswordCost, sha256.Size)
	return fmt.Sprintf("$pbkdf2-sha256$i=%d$%x$%x", PasswordCost, salt, hash), err
}

func isPassword(password, kept string) bool {
	parts := strings.Split(kept, "$")
	if len(parts) != 5 {
		return false
	}
	cost, _ := strconv.Atoi(strings.TrimPrefix(parts[2], "i="))
	salt, _ := hex.DecodeString(parts[3])
	right, _ := hex.DecodeString(parts[4])
	hash, err := pbkdf2.Key(sha256.New, password, salt, cost, sha256.Size)
	return err == nil && subtle.ConstantTimeCompare(hash, right) == 1
}

func token(userID int32) string {
	name := strconv.Itoa(int(userID))
	mac := hmac.New(sha256.New, []byte(tokenKey))
	mac.Write([]byte(name))
	return name + "." + hex.EncodeToString(mac.Sum(nil))
}

// identify tells whose token it is.
func identify(given string) (int32, error) {
	name, _, _ := strings.Cut(given, ".")
	userID, err := strconv.ParseInt(name, 10, 32)
	if err != nil || subtle.ConstantTimeCompare([]byte(given), []byte(token(int32(userID)))) != 1 {
		return 0, Refuse(Unauthenticated, "the token is wrong")
	}
	return int32(userID), nil
}
