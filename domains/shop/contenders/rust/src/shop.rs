//! All of the shop, over one store.

use crate::catalogue::Catalogue;
use crate::orders::Orders;
use crate::store::Store;
use crate::users::Users;

#[derive(Clone)]
pub struct Shop {
    pub users: Users,
    pub catalogue: Catalogue,
    pub orders: Orders,
}

impl Shop {
    pub fn over(store: Store) -> Self {
        let users = Users(store.clone());
        let catalogue = Catalogue::new(store.clone(), users.clone());
        let orders = Orders { store, users: users.clone(), catalogue: catalogue.clone() };
        Self { users, catalogue, orders }
    }
}
